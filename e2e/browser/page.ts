import { execFileSync } from 'node:child_process';
import AxeBuilder from '@axe-core/playwright';
import { test as base, expect, type Page } from '@playwright/test';

/** A page on which any console error, page error or failed script fails the test. */
export const test = base.extend<{ quiet: void }>({
  baseURL: async ({}, use) => {
    await use(process.env.SHIPLOG_URL);
  },
  quiet: [
    async ({ page }, use) => {
      const problems: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error' && !isExpected(message.text())) problems.push(message.text());
      });
      page.on('pageerror', (error) => problems.push(String(error)));
      await use();
      expect(problems).toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };

/** Chromium reports every 4xx and 5xx answer and a server that is down; tests that provoke them allow them. */
function isExpected(text: string): boolean {
  return /status of (401|403|404|409|422|503)|ERR_(CONNECTION_(REFUSED|RESET)|INTERNET_DISCONNECTED|SOCKET_NOT_CONNECTED|EMPTY_RESPONSE|INCOMPLETE_CHUNKED)/.test(
    text,
  );
}

/** Rules that axe rates moderate or experimental, but that screen readers and voice control depend on. */
const alsoRules = ['label-content-name-mismatch', 'page-has-heading-one', 'landmark-unique', 'heading-order'];

/** Fails on serious and critical findings of axe, and on any by the rules above. */
export async function expectAccessible(page: Page): Promise<void> {
  // During a transition the contrast is arbitrary; an answer may begin one at any time.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const { violations } = await new AxeBuilder({ page })
    .options({
      runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] },
      rules: Object.fromEntries(alsoRules.map((rule) => [rule, { enabled: true }])),
    })
    .analyze();
  await page.emulateMedia({ reducedMotion: null });
  const serious = violations
    .filter(({ id, impact }) => impact === 'serious' || impact === 'critical' || alsoRules.includes(id))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
  expect(serious).toEqual([]);
}

/** The real kubectl, as admin. */
export function kubectl(...args: string[]): string {
  return execFileSync(process.env.SHIPLOG_E2E_KUBECTL ?? 'kubectl', args, {
    env: { ...process.env, KUBECONFIG: process.env.SHIPLOG_E2E_KUBECONFIG },
    encoding: 'utf8',
  });
}

/** Nothing may scroll sideways, above all on a phone. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const overflow = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  // The layout needs time after a change of the width.
  await expect.poll(overflow).toBeLessThanOrEqual(0);
}

/** The part of the window's height that stays covered while the page scrolls. */
export function coveredShare(): number {
  scrollTo(0, 400);
  let rows = 0;
  for (let y = 1; y < innerHeight; y += 2) {
    let element = document.elementFromPoint(innerWidth / 2, y);
    while (element && !['fixed', 'sticky'].includes(getComputedStyle(element).position))
      element = element.parentElement;
    if (element) rows += 1;
  }
  return (rows * 2) / innerHeight;
}
