import { type Page } from '@playwright/test';
import { type Stage } from '@/bench/stage';

const VIEWPORT = { width: 1440, height: 900 };
const LOAD_TIMEOUT_MS = 60_000;

export async function newPage(stage: Stage): Promise<Page> {
  const context = await (await stage.browser()).newContext({ viewport: VIEWPORT });
  return context.newPage();
}

/** The fleet page in a browser of its own, with every row read; `rows` guards against an answer that came too early. */
export async function openFleet(stage: Stage, url: string, rows = 0): Promise<Page> {
  const page = await newPage(stage);
  await page.goto(url, { timeout: LOAD_TIMEOUT_MS });
  await page.getByRole('table').getByRole('link').first().waitFor({ timeout: LOAD_TIMEOUT_MS });
  await page.waitForFunction(
    (wanted) => Number(document.querySelector('[aria-rowcount]')?.getAttribute('aria-rowcount')) > wanted,
    rows,
    { timeout: LOAD_TIMEOUT_MS },
  );
  await page.waitForTimeout(2_000);
  return page;
}
