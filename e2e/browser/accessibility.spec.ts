import type { Page } from '@playwright/test';
import { coveredShare, expect, findings, test } from '@/e2e/browser/page';
import { withSeededSandbox } from '@/e2e/browser/seeded-sandbox';

/** Every page and every dialog, of one sandbox in which something is always going on. */
const sandbox = withSeededSandbox();

const CHECKOUT = '/workloads/deployments.apps/shop/checkout';
const PRICE_ENGINE = '/rollouts/rollouts.argoproj.io/shop/price-engine';

const pages = [
  '/',
  '/?q=nothing-like-it',
  '/timeline',
  '/rollouts',
  PRICE_ENGINE,
  '/rollouts/rollouts.standard.oam.dev/shop/loyalty',
  '/records',
  '/records/missing',
  '/review',
  '/review/report',
  '/activity',
  '/activity/events',
  '/rollout-histories',
  '/help/glossary',
  '/settings/identity',
  '/missing',
  CHECKOUT,
  `${CHECKOUT}/compare`,
  '/workloads/deployments.apps/shop/frontend',
  '/workloads/deployments.apps/shop/missing',
  '/workloads/daemonsets.apps/edge/node-agent',
  '/workloads/statefulsets.apps/payments/ledger-db',
  '/workloads/rollouts.argoproj.io/shop/price-engine',
  '/workloads/applications.core.oam.dev/shop/campaigns',
  '/workloads/leaderworkersets.leaderworkerset.x-k8s.io/ml/assistant',
];

for (const path of [...pages, 'a record'])
  test(`axe, voice control and a window at 200% find nothing wrong with ${path}`, async ({ page }) => {
    await open(page, path === 'a record' ? await recordPath(page) : path);
    expect.soft(await findings(page)).toEqual([]);
    expect.soft(await page.evaluate(misnamed)).toEqual([]);
    expect.soft(await findingsInDark(page)).toEqual([]);
    await page.setViewportSize({ width: 720, height: 450 });
    await expect.soft.poll(() => page.evaluate(coveredShare)).toBeLessThan(1 / 3);
  });

test('a page that loads has a heading and no finding', async ({ page }) => {
  const answers = Promise.withResolvers<void>();
  await page.route('**/api/**', async (route) => {
    await answers.promise;
    await route.continue().catch(() => {});
  });
  for (const path of ['/', '/timeline', '/records', '/review', '/activity', CHECKOUT, PRICE_ENGINE]) {
    await page.goto(sandbox.address(path), { waitUntil: 'domcontentloaded' });
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
    expect.soft(await findings(page), path).toEqual([]);
  }
  answers.resolve();
});

/** `key` opens it with nothing focused; `press` are the buttons and menu entries that open it. */
const dialogs: readonly {
  path: string;
  key?: string;
  press?: readonly RegExp[];
  type?: string;
  /** It has no content that scrolls between a head and a foot. */
  isMenu?: boolean;
}[] = [
  { path: CHECKOUT, key: 'r' },
  { path: CHECKOUT, press: [/^Roll back to rev/] },
  { path: CHECKOUT, press: [/^More/], isMenu: true },
  { path: CHECKOUT, press: [/^More/, /^Restart pods/] },
  { path: CHECKOUT, press: [/^Pause/] },
  { path: PRICE_ENGINE, key: 'a' },
  { path: PRICE_ENGINE, key: 'x' },
  { path: PRICE_ENGINE, press: [/^More actions/], isMenu: true },
  { path: '/rollouts/rollouts.standard.oam.dev/shop/loyalty', key: 'a' },
  { path: '/', key: 'ControlOrMeta+k' },
  { path: '/', press: [/^Search or jump to/], type: 'checkout' },
  { path: '/', press: [/^Search or jump to/], type: 'nothing-like-it' },
  { path: '/', key: '?' },
  { path: '/', press: [/^Connect your cluster/] },
  { path: '/', press: [/, you$/], isMenu: true },
  { path: '/', press: [/^Views/], isMenu: true },
  { path: '/', press: [/^Kind/], isMenu: true },
  { path: '/review/report', press: [/^Export/], isMenu: true },
  { path: '/activity', press: [/^Export/], isMenu: true },
];

for (const { path, key, press = [], type, isMenu } of dialogs) {
  const opened = [path, key ?? press.map(({ source }) => source).join(' '), type].filter(Boolean).join(' ');
  test(`nothing is wrong with the dialog, and the focus returns: ${opened}`, async ({ page }) => {
    await open(page, path);
    if (key !== undefined) await page.keyboard.press(key);
    for (const [index, name] of press.entries()) {
      const role = index === 0 ? 'button' : 'menuitem';
      await page.getByRole(role, { name }).first().focus();
      await page.keyboard.press('Enter');
    }
    const dialog = isMenu ? page.getByRole('menu') : page.getByRole('dialog');
    await expect(dialog).toBeVisible();
    await expect(dialog.locator('.animate-breathe')).toHaveCount(0);
    if (type !== undefined) {
      await page.keyboard.type(type);
      await expect(dialog.getByRole('option', { name: `Search history for “${type}”` })).toBeVisible();
    }
    // The page behind it is tested above.
    const within = isMenu ? '[role=menu]' : '[role=dialog]';
    expect.soft(await findings(page, { within })).toEqual([]);
    expect.soft(await page.evaluate(misnamed)).toEqual([]);
    expect.soft(await findingsInDark(page, within)).toEqual([]);
    if (!isMenu) {
      await page.setViewportSize({ width: 720, height: 450 });
      await expect.soft.poll(() => dialog.evaluate(contentShare)).toBeGreaterThan(2 / 3);
      await page.setViewportSize({ width: 1440, height: 900 });
    }
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    const opener =
      key === undefined ? page.getByRole('button', { name: press[0] }).first() : page.locator('#main');
    await expect.soft(opener).toBeFocused();
  });
}

test('the focus returns to the page after a rollback and its undo, though the button is gone', async ({
  page,
}) => {
  await open(page, '/workloads/deployments.apps/shop/frontend');
  await page.keyboard.press('r');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: /^Roll back to rev/ }).click();
  await dialog.getByRole('button', { name: 'Undo rollback…' }).click();
  await expect(dialog).toHaveAccessibleName(/^Undo rollback/);
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(page.locator('#main')).toBeFocused();
});

test('every focus of a walk with Tab is visible, and beneath nothing', async ({ page }) => {
  for (const path of ['/', CHECKOUT, '/review/report']) {
    await open(page, path);
    await page.keyboard.press('Tab');
    await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
    const hidden: string[] = [];
    for (let step = 0; step < 45; step += 1) {
      await page.keyboard.press('Tab');
      const problem = await page.evaluate(focusProblem);
      if (problem !== null) hidden.push(problem);
    }
    expect.soft(hidden, path).toEqual([]);
  }
});

test('says within two seconds that it is offline, answers an action at once, and recovers', async ({
  page,
  context,
}) => {
  const isLive = page.locator('[data-link=live]');
  const refusal = page.getByText('Roll back: not possible now', { exact: true }).first();
  for (const path of [CHECKOUT, '/']) {
    await open(page, path);
    await expect(isLive).toBeVisible();
    await context.setOffline(true);
    await expect(page.getByText(/^disconnected for/)).toBeVisible({ timeout: 10_000 });
    const address = page.url();
    if (path === '/') await page.keyboard.press('j');
    await page.keyboard.press('r');
    await expect(refusal).toBeVisible();
    await expect(page.getByRole('dialog').filter({ hasText: 'pods' })).toHaveCount(0);
    expect(new URL(page.url()).pathname).toBe(new URL(address).pathname);
    await context.setOffline(false);
    await expect(isLive).toBeVisible();
  }
});

test('keeps what is typed while the command menu is still loading', async ({ page }) => {
  const loaded = Promise.withResolvers<void>();
  let isSlow = false;
  await page.route('**/_next/static/**/*.js', async (route) => {
    if (isSlow) await loaded.promise;
    await route.continue();
  });
  await open(page, '/');
  isSlow = true;
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('jr node-agent');
  loaded.resolve();
  await expect(page.getByPlaceholder('Search workloads, images, people, actions')).toHaveValue(
    'jr node-agent',
  );
  expect(new URL(page.url()).pathname).toBe('/');
});

async function open(page: Page, path: string): Promise<void> {
  await page.goto(sandbox.address(path));
  await expect(page.locator('[data-link]')).toHaveAttribute('data-link', 'live');
  await expect(page.locator('.animate-breathe')).toHaveCount(0);
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
}

async function recordPath(page: Page): Promise<string> {
  const answer = await page.request.get(sandbox.address('/api/records?limit=1'));
  const { items } = (await answer.json()) as { items: { id: string }[] };
  return `/records/${items[0]?.id}`;
}

/** What the theme can change. */
async function findingsInDark(page: Page, within?: string): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'dark' });
  const found = await findings(page, { rules: ['color-contrast', 'link-in-text-block'], within });
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}

/** Controls whose name does not begin with their visible text, which is what one says to press them. */
function misnamed(): string[] {
  const words = (text: string) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
  const visibleText = (element: Element): string =>
    [...element.childNodes]
      .map((node) => {
        if (node instanceof Text) return node.data;
        if (!(node instanceof Element) || node.matches('.sr-only, kbd') || !node.checkVisibility())
          return ' ';
        return ` ${visibleText(node)} `;
      })
      .join('');
  return [
    ...document.querySelectorAll(
      'a[aria-label], button[aria-label], summary[aria-label], [role=button][aria-label]',
    ),
  ]
    .filter((element) => {
      const text = words(visibleText(element));
      // A single letter or sign is a symbol.
      return element.checkVisibility() && text.length > 1 && !words(element.ariaLabel ?? '').startsWith(text);
    })
    .map((element) => `“${visibleText(element)}” is named “${element.ariaLabel}”`);
}

/** The part of the window's height in which the content of a dialog scrolls, or all of a dialog without a head and foot. */
function contentShare(dialog: Element): number {
  const content = dialog.querySelector('.overflow-y-auto') ?? dialog;
  return content.scrollHeight <= content.clientHeight ? 1 : content.clientHeight / innerHeight;
}

function focusProblem(): string | null {
  const element = document.activeElement;
  if (element === null || element === document.body) return null;
  const { left, top, width, height } = element.getBoundingClientRect();
  const name = (element.ariaLabel ?? element.textContent ?? '').slice(0, 60);
  const hit = document.elementFromPoint(left + width / 2, top + Math.min(height / 2, 40));
  const isCovered =
    hit?.closest('header, footer, nav') != null && !hit.contains(element) && !element.contains(hit);
  const hasRing = [element, ...element.querySelectorAll('*')].some((each) => {
    const { outlineStyle, stroke, boxShadow } = getComputedStyle(each);
    return (
      outlineStyle !== 'none' || boxShadow !== 'none' || (each instanceof SVGElement && stroke !== 'none')
    );
  });
  if (isCovered) return `${name}: covered`;
  return hasRing ? null : `${name}: no ring`;
}
