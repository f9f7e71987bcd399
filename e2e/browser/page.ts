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

export interface Checked {
  rules?: readonly string[];
  /** Selector of a part of the page. */
  within?: string;
}

/** All of axe, its good practice and voice control too. */
export async function findings(page: Page, { rules, within }: Checked = {}): Promise<string[]> {
  // During a transition the contrast is arbitrary; an answer may begin one at any time.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  // Pages have no frames, so that nothing has to be put together in a blank page: half of the time.
  const axe = new AxeBuilder({ page }).setLegacyMode();
  if (within !== undefined) axe.include(within);
  const { violations } = await axe
    // They pass the focus on.
    .exclude('[data-base-ui-focus-guard]')
    .options(
      rules
        ? { runOnly: { type: 'rule', values: [...rules] } }
        : {
            runOnly: {
              type: 'tag',
              values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
            },
            rules: { 'label-content-name-mismatch': { enabled: true } },
          },
    )
    .analyze();
  await page.emulateMedia({ reducedMotion: null });
  return violations.flatMap(({ id, nodes }) => {
    // Bars are where their rollouts were on the time axis: WCAG 2.5.8 excepts a position that is essential.
    const found = nodes.filter(({ html }) => id !== 'target-size' || !html.includes('data-rollout='));
    if (found.length === 0) return [];
    return `${id}: ${found.map(({ target, html }) => `${target.join(' ')} ${html.slice(0, 120)}`).join(', ')}`;
  });
}

export async function expectAccessible(page: Page): Promise<void> {
  expect(await findings(page)).toEqual([]);
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
