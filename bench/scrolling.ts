import { type Page } from '@playwright/test';
import { count, type Figure, milliseconds, plain } from '@/bench/support/figure';
import { openFleet } from '@/bench/support/fleet-page';
import { ROWS, type BenchEnvironment } from '@/bench/support/environment';

const STEPS = 250;
const STEP_PX = 700;
/** A frame at 30 Hz: faster than a person scrolls. */
const STEP_MS = 33;

declare global {
  interface Window {
    longTasks?: number[];
  }
}

/** Tasks over 50 ms while the viewer scrolls through ten thousand rows. */
export async function measureScrolling(environment: BenchEnvironment): Promise<Figure[]> {
  await environment.rows();
  const { url } = await environment.server();
  const page = await openFleet(environment, url, ROWS);
  await page.mouse.move(600, 500);
  await observeLongTasks(page);
  for (let step = 0; step < STEPS; step += 1) {
    await page.mouse.wheel(0, step < STEPS * 0.8 ? STEP_PX : -STEP_PX);
    await page.waitForTimeout(STEP_MS);
  }
  const tasks = await page.evaluate(() => window.longTasks ?? []);
  const scrolledPx = await page.evaluate(() => window.scrollY);
  if (scrolledPx < STEP_PX) throw new Error('The page did not scroll.');
  await page.context().close();
  const longest = Math.max(0, ...tasks);
  return [
    {
      what: `Tasks over 50 ms while scrolling over ${count(ROWS)} rows`,
      value: tasks.length === 0 ? 'none' : `${tasks.length}, the longest ${milliseconds(longest)}`,
      aim: { text: 'none', met: tasks.length === 0 },
    },
    plain('Wheel turned', `${STEPS} times by ${STEP_PX} px`),
  ];
}

function observeLongTasks(page: Page): Promise<void> {
  return page.evaluate(() => {
    const durations: number[] = [];
    window.longTasks = durations;
    new PerformanceObserver((list) =>
      durations.push(...list.getEntries().map((entry) => entry.duration)),
    ).observe({
      type: 'longtask',
    });
  });
}
