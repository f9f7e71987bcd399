import { readFileSync } from 'node:fs';
import { type Page } from '@playwright/test';
import { expect, expectAccessible, expectNoSidewaysScroll, test } from '@/e2e/browser/page';
import { withSeededSandbox } from '@/e2e/browser/seeded-sandbox';

test.describe.configure({ mode: 'serial' });

const { address } = withSeededSandbox();

const title = (page: Page) => page.getByRole('heading', { name: /^To review/ });
const underReview = (page: Page) => page.getByRole('region', { name: 'Record under review' });
/** Of the loaded record: while it loads there is another heading. */
const sentence = (page: Page) => underReview(page).getByRole('article').getByRole('heading', { level: 1 });

async function waiting(page: Page): Promise<number> {
  return Number(/\d+/.exec((await title(page).textContent()) ?? '')?.[0]);
}

test('shows the second of two concurrent reviewers the first verdict, and keeps their text', async ({
  page,
  browser,
}) => {
  await page.goto(address('/review'));
  await expect(sentence(page)).toBeVisible();
  const current = await page.locator('[data-queued]:has([aria-current])').getAttribute('data-queued');
  const context = await browser.newContext();
  const other = await context.newPage();
  await other.goto(address(`/review?id=${current}`));
  await expect(sentence(other)).toHaveText((await sentence(page).textContent()) ?? '');
  await other.keyboard.press('b');
  await other.getByRole('textbox', { name: 'Comment', exact: true }).fill('I thought otherwise');

  await page.keyboard.press('g');
  await page.getByRole('textbox', { name: 'Comment', exact: true }).fill('went **well**');
  await page.keyboard.press('Control+Enter');
  await expect(page.locator(`[data-queued="${current}"]`)).toHaveCount(0);

  await other.keyboard.press('Control+Enter');
  await expect(other.getByText(/has decided meanwhile: good/)).toBeVisible();
  await expect(other.getByText('went well')).toBeVisible();
  await expect(other.getByRole('textbox', { name: 'Comment', exact: true })).toHaveValue(
    'I thought otherwise',
  );
  await other.getByRole('button', { name: 'Decide again' }).click();
  await other.keyboard.press('Control+Enter');
  await expect(other.getByText(/has decided meanwhile/)).toHaveCount(0);
  await context.close();

  await page.goto(address(`/records/${current}`));
  await expect(page.getByText(/bad, by/).first()).toBeVisible();
  await page.getByRole('button', { name: 'show 1 before' }).click();
  await expect(page.getByRole('list', { name: 'Verdicts before' })).toContainText('good');
});

test('restores a draft after leaving the page and after a reload', async ({ page }) => {
  await page.goto(address('/review'));
  await expect(sentence(page)).toBeVisible();
  const current = await page.locator('[data-queued]:has([aria-current])').getAttribute('data-queued');
  // By its address, since another rollout may end and become the first of the queue.
  await page.goto(address(`/review?id=${current}`));
  const comment = page.getByRole('textbox', { name: 'Comment', exact: true });
  const bad = page.getByRole('button', { name: 'Bad' });
  await comment.fill('half a tho');
  await bad.click();
  await expect(bad).toHaveAttribute('aria-pressed', 'true');
  await expect(comment).toHaveValue('half a tho');
  await page.locator(`[data-queued]:not([data-queued="${current}"])`).first().click();
  await expect(comment).toHaveValue('');
  await page.goto(address(`/review?id=${current}`));
  await expect(comment).toHaveValue('half a tho');
  await page.reload();
  await expect(comment).toHaveValue('half a tho');
  await expect(bad).toHaveAttribute('aria-pressed', 'true');
  await comment.fill('');
  await bad.click();
});

test('a follow-up has a person and a day, is listed until a later verdict, overdue ones first', async ({
  page,
}) => {
  await page.goto(address('/review'));
  await expect(sentence(page)).toBeVisible();
  const list = page.getByRole('region', { name: /^Follow-ups/ });
  // The seeded history has an overdue one, too.
  await expect(list).toContainText('1 overdue');
  await page.keyboard.press('f');
  await expect(page.getByLabel('Follow-up by')).toBeFocused();
  await page.keyboard.type('sara.kim');
  await page.getByLabel('until').fill('2020-01-31');
  await page.keyboard.press('Control+Enter');
  await expect(list).toContainText('2 overdue');
  const entries = list.getByRole('button');
  await expect(entries.first()).toContainText('sara.kim');
  // The next record is shown.
  await expect(underReview(page).getByText('none yet')).toBeVisible();
  await entries.first().click();
  await expect(page.getByText(/sara\.kim until 31 Jan 2020/).first()).toBeVisible();
  await page.keyboard.press('g');
  await expect(page.getByRole('button', { name: 'Good' })).toHaveAttribute('aria-pressed', 'true');
  await page.keyboard.press('Control+Enter');
  await expect(entries.filter({ hasText: 'sara.kim' })).toHaveCount(0);
  await expect(list).toContainText('1 overdue');
});

test('keeps rules in the address, and resets them', async ({ page }) => {
  await page.goto(address('/review'));
  const all = await (await expect(sentence(page)).toBeVisible(), waiting(page));
  await page.getByRole('button', { name: 'Failed', exact: true }).click();
  await expect(page).toHaveURL(/only=failed/);
  await expect.poll(() => waiting(page)).toBeLessThan(all);
  await page.getByRole('button', { name: 'Rules' }).click();
  // Includes those without a failure.
  await page.getByRole('menuitemcheckbox', { name: 'payments' }).click();
  await expect(page).toHaveURL(/namespace=payments/);
  await page.getByRole('button', { name: 'Clear' }).click();
  // More if a rollout has ended meanwhile.
  await expect.poll(() => waiting(page)).toBeGreaterThanOrEqual(all);
});

test('shows the period as a page of figures with their meanings, and as a file in three formats', async ({
  page,
}) => {
  await page.goto(address('/review'));
  await expect(sentence(page)).toBeVisible();
  await page.keyboard.press('e');
  await expect(page).toHaveURL(/\/review\/report/);
  await expect(page.getByRole('heading', { level: 1 })).toContainText(/Seven days: \d+ rollouts/);
  await expect(page.getByText(/Failed changes among the changes that ended/)).toBeVisible();
  await page.getByRole('button', { name: 'Week' }).click();
  await expect(page).toHaveURL(/period=\d{4}-W\d\d/);
  await page.getByRole('button', { name: 'The week before' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText(/^Week \d+, /);
  await page.getByRole('button', { name: /^Team/ }).click();
  await expect(page.getByRole('heading', { name: 'By team' })).toBeVisible();

  for (const [form, expected] of [
    ['Markdown', /^# Rollouts from /],
    ['CSV', /^started,ended,seconds,/],
    ['JSON', /^\{"from":/],
  ] as const) {
    await page.getByRole('button', { name: 'Export' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: form }).click();
    expect(readFileSync(await (await download).path(), 'utf8')).toMatch(expected);
  }
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('banner')).toBeHidden();
  await expect(page.getByRole('button', { name: 'Export' })).toBeHidden();
  await expect(page.getByRole('heading', { name: 'Every rollout' })).toBeVisible();
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`queue and period are accessible and fit a phone, in ${colorScheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    await page.goto(address('/review'));
    await expect(sentence(page)).toBeVisible();
    await page.keyboard.press('f');
    await expectAccessible(page);
    await page.setViewportSize({ width: 360, height: 780 });
    await expectNoSidewaysScroll(page);
    await page.goto(address('/review/report?by=team'));
    await expect(page.getByRole('heading', { name: 'By team' })).toBeVisible();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  });
}

test('reviews a week with the keyboard alone', async ({ page }) => {
  test.setTimeout(300_000);
  await page.goto(address('/review?only=failed'));
  await expect(sentence(page)).toBeVisible();
  const keys = ['g', 'b', 'g', 'f'] as const;
  const verdicts = { g: { name: 'Good' }, b: { name: 'Bad' } } as const;
  for (let left = await waiting(page), turn = 0; left > 0; turn += 1) {
    await expect(sentence(page)).toBeVisible();
    const key = keys[turn % keys.length] ?? 'g';
    // Key presses before hydration have no effect.
    await expect(async () => {
      await page.keyboard.press(key);
      if (key === 'f') await expect(page.getByLabel('Follow-up by')).toBeFocused({ timeout: 2_000 });
      else
        await expect(page.getByRole('button', verdicts[key])).toHaveAttribute('aria-pressed', 'true', {
          timeout: 2_000,
        });
    }).toPass();
    if (key === 'f') await page.keyboard.type('sara.kim');
    await page.keyboard.press('Control+Enter');
    const now = left;
    await expect.poll(() => waiting(page)).toBeLessThan(now);
    left = await waiting(page);
  }
  await expect(page.getByRole('heading', { name: /^To review 0/ })).toBeVisible();
  await expect(page.getByText('Nothing waits for review')).toBeVisible();
});
