import type { Page } from '@playwright/test';
import { signedIn } from '@/e2e/support/local-key';
import type { BenchEnvironment } from '@/bench/support/environment';

const VIEWPORT = { width: 1440, height: 900 };
const LOAD_TIMEOUT_MS = 60_000;

export async function newPage(environment: BenchEnvironment): Promise<Page> {
  const context = await (
    await environment.browser()
  ).newContext({ viewport: VIEWPORT, extraHTTPHeaders: signedIn });
  return context.newPage();
}

/** The fleet page in its own browser, with every row read; `rows` guards against an incomplete answer. */
export async function openFleet(environment: BenchEnvironment, url: string, rows = 0): Promise<Page> {
  const page = await newPage(environment);
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
