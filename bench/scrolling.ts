import type { Page } from '@playwright/test';
import { count, type Metric, milliseconds, plain } from '@/bench/support/figure';
import { openFleet } from '@/bench/support/fleet-page';
import { ROWS, type BenchEnvironment } from '@/bench/support/environment';

const STEPS = 250;
const STEP_PX = 700;
/** A frame at 30 Hz: faster than a person scrolls. */
const STEP_MS = 33;

/** Longer than the pause between two requests for a list that changes. */
const QUIET_MS = 5_000;

/** As the browser defines a long task. */
const LONG_MS = 50;

/** A task of the page's main thread. */
interface Task {
  elapsedMs: number;
  /** Without the time in which another process had the core. */
  processorMs: number;
}

/**
 * Tasks over 50 ms while the viewer scrolls through ten thousand rows. Judged by processor time: everything runs on one
 * machine, and a task may take twice as long because its thread waits for a core.
 */
export async function measureScrolling(environment: BenchEnvironment): Promise<Metric[]> {
  await environment.rows();
  const { url } = await environment.server();
  const page = await openFleet(environment, url, ROWS);
  await untilQuiet(page);
  // Of the lists requested meanwhile.
  await page.requestGC();
  await page.mouse.move(600, 500);
  const browser = await environment.browser();
  await browser.startTracing(page, { categories: ['-*', TASKS] });
  for (let step = 0; step < STEPS; step += 1) {
    await page.mouse.wheel(0, step < STEPS * 0.8 ? STEP_PX : -STEP_PX);
    await page.waitForTimeout(STEP_MS);
  }
  const tasks = tasksOf(await browser.stopTracing());
  const scrolledPx = await page.evaluate(() => window.scrollY);
  if (scrolledPx < STEP_PX) throw new Error('The page did not scroll.');
  await page.context().close();
  const long = describeLong(tasks.map(({ processorMs }) => processorMs));
  return [
    {
      what: `Tasks over ${LONG_MS} ms of processor time while scrolling over ${count(ROWS)} rows`,
      value: long,
      aim: { text: 'none', met: long === 'none' },
    },
    plain(
      '… the longest, in processor time',
      milliseconds(Math.max(...tasks.map(({ processorMs }) => processorMs))),
    ),
    plain(`… over ${LONG_MS} ms of elapsed time`, describeLong(tasks.map(({ elapsedMs }) => elapsedMs))),
    plain('Wheel turned', `${STEPS} times by ${STEP_PX} px`),
  ];
}

/** Until the archive has every workload: as long as it adds them, the page requests the complete list every two seconds. */
async function untilQuiet(page: Page): Promise<void> {
  let lastMs = Date.now();
  page.on('request', (request) => {
    if (request.url().includes('/api/workloads')) lastMs = Date.now();
  });
  while (Date.now() - lastMs < QUIET_MS) await page.waitForTimeout(200);
}

function describeLong(durations: readonly number[]): string {
  const long = durations.filter((ms) => ms > LONG_MS);
  return long.length === 0 ? 'none' : `${long.length}, the longest ${milliseconds(Math.max(...long))}`;
}

/** The category of the event `RunTask`, one for each task. */
const TASKS = 'disabled-by-default-devtools.timeline';

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** Elapsed and processor time, in microseconds. */
  dur?: number;
  tdur?: number;
  args?: { name?: string };
}

/** The tasks of the busiest page: another one, without a window, has done next to nothing. */
function tasksOf(trace: Buffer): readonly Task[] {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: readonly TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(threadOf),
  );
  const tasks = traceEvents.filter((event) => event.name === 'RunTask' && mains.has(threadOf(event)));
  const [busiest = []] = [...Map.groupBy(tasks, threadOf).values()].sort((a, b) => b.length - a.length);
  if (busiest.length < STEPS) throw new Error('The trace has too few tasks of the page.');
  return busiest.map(({ dur = 0, tdur = 0 }) => ({ elapsedMs: dur / 1000, processorMs: tdur / 1000 }));
}
