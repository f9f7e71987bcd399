import type { Locator, Page } from '@playwright/test';
import { expect, expectAccessible, expectNoSidewaysScroll, test } from '@/e2e/browser/page';
import { withSeededSandbox } from '@/e2e/browser/seeded-sandbox';

/** The sandbox has weeks of history for the timeline; one start for all tests. */
test.describe.configure({ mode: 'serial' });

const sandbox = withSeededSandbox();

const rollouts = (page: Page) => page.locator('[data-rollout]');
const addressOf = (page: Page) => new URL(page.url()).searchParams;

/** Taps the screen, whatever element is there. */
async function tapMiddle(page: Page, bar: Locator): Promise<void> {
  const box = await bar.boundingBox();
  if (box === null) throw new Error('The bar is not drawn.');
  await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
}

async function open(page: Page, query = 'from=3h'): Promise<void> {
  await page.goto(sandbox.address(`/timeline?${query}`));
  await expect(rollouts(page).first()).toBeVisible();
}

test('shows what changed, one row per workload, with links to the record and the workload', async ({
  page,
}) => {
  await page.goto(sandbox.address('/'));
  await page.getByRole('link', { name: 'Timeline' }).first().click();
  await page.goto(sandbox.address('/timeline?from=3h&show=all'));
  await expect(page.getByRole('heading', { level: 1 })).toContainText(
    /In the last 3 hours, \d+ rollouts? started/,
  );
  const checkout = page.getByRole('row').filter({ has: page.getByRole('link', { name: /^checkout shop/ }) });
  await expect(checkout).toContainText('Stalled');
  await checkout.locator('[data-rollout]').first().click();
  await expect(page).toHaveURL(/\/records\//);
  await page.goBack();
  await checkout.getByRole('link', { name: /^checkout shop/ }).click();
  await expect(page).toHaveURL(/\/workloads\/deployments\.apps\/shop\/checkout/);
});

test('draws another period on the overview, and shows a colleague the same by the link', async ({
  page,
  context,
}) => {
  await open(page, 'from=3h&overview=week');
  const overview = await page.locator('[data-brush]').boundingBox();
  if (overview === null) throw new Error('The overview is not drawn.');
  const at = (share: number) => [overview.x + overview.width * share, overview.y + 20] as const;
  await page.mouse.move(...at(0.2));
  await page.mouse.down();
  await page.mouse.move(...at(0.4), { steps: 4 });
  await page.mouse.move(...at(0.6), { steps: 4 });
  await page.mouse.up();
  await expect.poll(() => addressOf(page).get('to')).not.toBeNull();
  const { from, to } = Object.fromEntries(addressOf(page));
  const days = (Date.parse(to ?? '') - Date.parse(from ?? '')) / 86_400_000;
  expect(days).toBeGreaterThan(2.4);
  expect(days).toBeLessThan(3.2);
  await expect(page.getByRole('heading', { level: 1 })).toContainText(/rollouts? started/);
  const heading = await page.getByRole('heading', { level: 1 }).textContent();
  const colleague = await context.newPage();
  await colleague.goto(page.url());
  await expect(colleague.getByRole('heading', { level: 1 })).toHaveText(heading ?? '');
});

test('says nothing of another period before its answer has arrived', async ({ page }) => {
  await open(page);
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    void page.route(/\/api\/timeline\?from=\d{4}/, async (route) => {
      if (new URL(route.request().url()).searchParams.has('parts')) return route.continue();
      resolve();
      await new Promise<void>((release) => (answer = release));
      await route.continue();
    });
  });
  await page.evaluate(() => {
    const seen = new Set<string>();
    Object.assign(globalThis, { seen });
    const heading = document.querySelector('h1');
    const note = () => seen.add(heading?.textContent ?? '');
    if (heading !== null)
      new MutationObserver(note).observe(heading, { subtree: true, childList: true, characterData: true });
  });
  await page.keyboard.press('ArrowLeft');
  await asked;
  await expect(page.getByRole('heading', { level: 1 })).toContainText('loading…');
  const seen = await page.evaluate(() => [...(globalThis as unknown as { seen: Set<string> }).seen]);
  expect(seen.filter((text) => text.startsWith('Between') && !text.endsWith('loading…'))).toEqual([]);
  answer();
  await expect(page.getByRole('heading', { level: 1 })).not.toContainText('loading…');
});

test('is read and moved by the keyboard alone', async ({ page }) => {
  await open(page, 'from=6h');
  await page.keyboard.press('+');
  await expect.poll(() => addressOf(page).get('from')).toBe('3h');
  await page.keyboard.press('-');
  await expect.poll(() => addressOf(page).get('from')).toBe('6h');
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => addressOf(page).get('to')).not.toBeNull();
  await page.keyboard.press('0');
  await expect.poll(() => addressOf(page).get('to')).toBeNull();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  const first = rollouts(page).first();
  await expect(first).toBeFocused();
  await expect.poll(() => addressOf(page).get('record')).toBe(await first.getAttribute('data-rollout'));
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/records\//);
});

test('keeps filters in the address, and says when nothing matches them', async ({ page }) => {
  await open(page, 'from=7d');
  await page.getByRole('button', { name: 'Namespace' }).click();
  await page
    .getByRole('menuitemcheckbox', { name: 'payments' })
    .or(page.getByRole('menuitem', { name: 'payments' }))
    .click();
  await expect.poll(() => addressOf(page).get('namespace')).toBe('payments');
  await expect(page.getByRole('row').filter({ hasText: 'checkout' })).toBeHidden();
  await page.reload();
  await expect(rollouts(page).first()).toBeVisible();
  await expect(page.getByRole('row').filter({ hasText: 'checkout' })).toBeHidden();
  await page.keyboard.press('/');
  await page.keyboard.type('no such thing');
  await expect(page.getByText('No rollouts match the filters')).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(rollouts(page).first()).toBeVisible();
});

test('opens around a linked moment', async ({ page }) => {
  const at = new Date(Date.now() - 40 * 60_000).toISOString();
  await page.goto(sandbox.address(`/timeline?at=${at}`));
  await expect(page.getByRole('heading', { level: 1 })).toContainText(
    /^Around the incident at (\d+ \w+, )?\d\d:\d\d/,
  );
  const from = await page.getByLabel('From', { exact: true }).inputValue();
  const to = await page.getByLabel('To', { exact: true }).inputValue();
  expect((Date.parse(to) - Date.parse(from)) / 60_000).toBe(40);
});

test('opens around an incident by the keyboard, the last start before it on top', async ({ page }) => {
  await open(page);
  await page.keyboard.press('i');
  await expect(page.getByLabel('Incident at', { exact: true })).toBeFocused();
  const at = new Date(Date.now() - 20 * 60_000);
  await page.keyboard.type(`${at.toISOString().slice(0, 16)}Z`);
  await page.keyboard.press('Enter');
  await expect.poll(() => Date.parse(addressOf(page).get('at') ?? '')).toBe(at.setUTCSeconds(0, 0));
  await expect(page.getByRole('heading', { level: 1 })).toContainText(/^Around the incident at/);
  await expect(page.getByRole('button', { name: 'Sort: before incident' })).toBeVisible();
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('0');
  await expect.poll(() => addressOf(page).get('at')).toBeNull();
});

test('shows what started, and unfolds what is older', async ({ page }) => {
  await open(page, 'from=15m&show=all');
  const all = await rollouts(page).count();
  await page.goto(sandbox.address('/timeline?from=15m'));
  await page.getByRole('button', { name: /older rollouts? still in progress/ }).click();
  await expect.poll(() => addressOf(page).get('show')).toBe('all');
  await expect(rollouts(page)).toHaveCount(all);
});

test('accepts typed times with the day first and 24 hours, and names their time zone', async ({ page }) => {
  await open(page);
  const from = page.getByLabel('From', { exact: true });
  await expect(from).toHaveValue(/^\d{1,2} \w{3} \d{4}, \d\d:\d\d$/);
  await expect(page.getByText(/^Times in /).filter({ visible: true })).toHaveCount(1);
  await from.fill('3/4/2026 2:05 PM');
  await from.press('Enter');
  await expect(page.getByRole('main').getByRole('alert')).toHaveText(
    /^Use the format \d{1,2} \w{3} \d{4}, \d\d:\d\d$/,
  );
  const day = new Date(Date.now() - 86_400_000);
  await from.fill(`${day.toISOString().slice(0, 10)} 14:05`);
  await from.press('Enter');
  // The period and its start follow the present: the minute may have passed.
  await expect(from).toHaveValue(/^\d{1,2} \w{3} \d{4}, 14:0[567]$/);
});

test('has no serious accessibility finding while a card is open', async ({ page }) => {
  await open(page);
  await page.keyboard.press('j');
  await expect(page.getByRole('link', { name: 'Record', exact: true })).toBeVisible();
  await expectAccessible(page);
});

test.describe('on a phone', () => {
  test.use({ hasTouch: true, viewport: { width: 360, height: 780 } });

  test('fits, and a first tap shows the card of a bar, a second one its record', async ({ page }) => {
    await open(page);
    await expectNoSidewaysScroll(page);
    for (const name of ['checkout', 'ledger-db']) {
      await open(page, `from=3h&show=all&q=${name}`);
      const bar = page.locator(`[data-rollout][aria-label^="${name} "]`).last();
      const id = (await bar.getAttribute('data-rollout')) ?? '';
      // Neither under the bar at the top nor under the one at the bottom.
      await bar.evaluate((element) => element.scrollIntoView({ block: 'center' }));
      await tapMiddle(page, bar);
      await expect(page.getByRole('link', { name: 'Record', exact: true })).toBeVisible();
      await expect.poll(() => addressOf(page).get('record')).toBe(id);
      await expect(page).toHaveURL(/\/timeline/);
      await expectNoSidewaysScroll(page);
      // The finger does not move, so no element may have covered the bar.
      await tapMiddle(page, bar);
      await expect(page).toHaveURL(new RegExp(`/records/${id}$`));
    }
  });
});
