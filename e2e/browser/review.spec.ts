import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { type ArchivedWeek, archiveWeek } from '@/e2e/browser/archived-week';
import { expect, expectAccessible, expectNoSidewaysScroll, test } from '@/e2e/browser/page';
import { withSeededSandbox } from '@/e2e/browser/seeded-sandbox';
import type { ReviewItem } from '@/lib/api/review';

test.describe.configure({ mode: 'serial' });

/** Without the margins, at 96 pixels an inch. */
const A4 = { widthPx: 725, heightPx: 1031 };

const WEEK_TEAM = 'week-of-sixty';
let week: ArchivedWeek;
const { address } = withSeededSandbox((home) => (week = archiveWeek(home, WEEK_TEAM)));

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
  await expect(other.getByText(/already set the verdict to Good/)).toBeVisible();
  await expect(other.getByText('went well')).toBeVisible();
  await expect(other.getByRole('textbox', { name: 'Comment', exact: true })).toHaveValue(
    'I thought otherwise',
  );
  await other.getByRole('button', { name: 'Set yours instead' }).click();
  await other.keyboard.press('Control+Enter');
  await expect(other.getByText(/already set the verdict/)).toHaveCount(0);
  await context.close();

  await page.goto(address(`/records/${current}`));
  await expect(page.getByText(/Bad by/).first()).toBeVisible();
  await page.getByRole('button', { name: 'Show history (1)' }).click();
  await expect(page.getByRole('list', { name: 'Verdict history' })).toContainText('Good');
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

test('a follow-up has an assignee and a due date, is listed until a later verdict, overdue ones first', async ({
  page,
}) => {
  await page.goto(address('/review'));
  await expect(sentence(page)).toBeVisible();
  const list = page.getByRole('region', { name: /^Follow-ups/ });
  // The seeded history has an overdue one, too.
  await expect(list).toContainText('1 overdue');
  await page.keyboard.press('f');
  await expect(page.getByRole('textbox', { name: 'Comment', exact: true })).toBeFocused();
  await page.getByLabel('Assignee').fill('sara.kim');
  await page.getByLabel('Due', { exact: true }).fill('2020-01-31');
  await page.keyboard.press('Control+Enter');
  await expect(list).toContainText('2 overdue');
  const entries = list.getByRole('listitem').getByRole('button');
  await expect(entries.first()).toContainText('sara.kim');
  // The next record is shown.
  await expect(page.locator('#verdict').getByText('None yet')).toBeVisible();
  await entries.first().click();
  await expect(page.getByText(/assigned to sara\.kim, due 31 Jan 2020/).first()).toBeVisible();
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
  await page.getByRole('button', { name: 'Filters' }).click();
  // Includes those without a failure.
  await page.getByRole('menuitemcheckbox', { name: 'payments' }).click();
  await expect(page).toHaveURL(/namespace=payments/);
  await page.getByRole('button', { name: 'Clear' }).click();
  // More if a rollout has ended meanwhile.
  await expect.poll(() => waiting(page)).toBeGreaterThanOrEqual(all);
});

test('shows the report of a period with the definition of each figure, and as a file in three formats', async ({
  page,
}) => {
  await page.goto(address('/review'));
  await expect(sentence(page)).toBeVisible();
  await page.keyboard.press('e');
  await expect(page).toHaveURL(/\/review\/report/);
  await expect(page.getByRole('heading', { level: 1 })).toContainText(
    /Last 7 days: \d+ of \d+ changes? failed/,
  );
  await expect(page.getByRole('heading', { name: 'Still open', exact: true })).toBeVisible();
  await page.locator('summary', { hasText: 'Change failure rate' }).click();
  await expect(page.getByText(/Failed changes as a share of all changes/)).toBeVisible();
  await page.getByRole('button', { name: 'Week' }).click();
  await expect(page).toHaveURL(/period=\d{4}-W\d\d/);
  await page.getByRole('button', { name: 'Previous week' }).click();
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
  await expect(page.getByRole('heading', { name: 'All rollouts' })).toBeVisible();
  // The first sheet ends before the figures by team, which begin the appendix.
  await page.setViewportSize({ width: A4.widthPx, height: A4.heightPx });
  const groups = page.getByRole('region', { name: 'By team', exact: true });
  expect((await groups.boundingBox())?.y).toBeLessThanOrEqual(A4.heightPx);
  const background = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  expect(background).toBe('rgba(0, 0, 0, 0)');
});

test('queue and report are accessible and fit a phone', async ({ page }) => {
  await page.goto(address('/review'));
  await expect(sentence(page)).toBeVisible();
  await page.keyboard.press('f');
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 780 });
  await expectNoSidewaysScroll(page);
  await page.goto(address('/review/report?by=team'));
  await expect(page.getByRole('heading', { name: 'By team' })).toBeVisible();
  await expectNoSidewaysScroll(page);
});

test('reviews a week of 60 rollouts by keyboard, with at most 1.3 keystrokes each', async ({ page }) => {
  await page.goto(address(`/review?team=${WEEK_TEAM}`));
  await expect(title(page)).toContainText('To review 60');
  await expect(page.locator('#verdict')).toBeVisible();
  const current = page.locator('[data-queued]:has([aria-current])');
  const idUnderReview = async () => (await current.getAttribute('data-queued')) ?? '';
  let keystrokes = 0;
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
    keystrokes += keys.length;
  };
  const expected = new Map<string, Partial<ReviewItem>>();
  /** Saves what is chosen, and waits for the next record. */
  const save = async (verdict: Partial<ReviewItem>) => {
    const id = await idUnderReview();
    expected.set(id, verdict);
    await press('Control+Enter');
    await expect(page.locator(`[data-queued="${id}"]`)).toHaveCount(0);
  };
  const saveFollowUp = async (person: string, due: string, typedDue: string) => {
    await press('f');
    await expect(page.getByRole('textbox', { name: 'Comment', exact: true })).toBeFocused();
    await press('Escape', 'f');
    await expect(page.getByLabel('Assignee')).toBeFocused();
    await page.keyboard.type(person);
    await press('Tab');
    await page.keyboard.type(typedDue);
    await save({ verdict: 'followUp', followUp: { person, due } });
  };

  // What failed comes first.
  for (let turn = 0; turn < 4; turn += 1) {
    expect(week.failed).toContain(await idUnderReview());
    await press('b');
    await expect(page.getByRole('textbox', { name: 'Comment', exact: true })).toBeFocused();
    await page.keyboard.type(`probe failed ${turn}`);
    await save({ verdict: 'bad', followUp: null });
  }
  await saveFollowUp('sara.kim', '2026-12-03', '3 Dec 2026');
  await saveFollowUp('tomas.reyes', '2026-12-10', '2026-12-10');
  await press('a');
  await expect(page.getByText(`${week.quick.length} rollouts selected`)).toBeVisible();
  await press('g', 'Control+Enter');
  await expect(title(page)).toContainText('To review 14');
  for (const id of week.quick) expected.set(id, { verdict: 'good', followUp: null });
  await saveFollowUp('sara.kim', '2027-01-07', '7 Jan 2027');
  for (let turn = 0; turn < 5; turn += 1) {
    // Every second one, to have moved too.
    await press('j', 'g');
    await save({ verdict: 'good', followUp: null });
  }
  await press('A');
  await expect(page.getByText('8 rollouts selected')).toBeVisible();
  await press('g', 'Control+Enter');
  await expect(page.getByText('53 good, 4 bad and 3 follow-ups.')).toBeVisible();
  for (const id of week.all) if (!expected.has(id)) expected.set(id, { verdict: 'good', followUp: null });

  for (const id of week.all) {
    const response = await page.request.get(address(`/api/records/${id}`));
    const { review } = (await response.json()) as { review: ReviewItem };
    expect([id, review.version, { verdict: review.verdict, followUp: review.followUp }]).toEqual([
      id,
      1,
      { followUp: null, ...expected.get(id) },
    ]);
    expect(review.comments).toHaveLength(review.verdict === 'bad' ? 1 : 0);
  }
  console.log(`60 rollouts reviewed with ${keystrokes} keystrokes, ${(keystrokes / 60).toFixed(2)} each`);
  expect(keystrokes).toBeLessThanOrEqual(60 * 1.3);
  await page.getByRole('link', { name: 'Open report' }).click();
  await expect(page).toHaveURL(/\/review\/report/);
});

test('shows the verdict on the first screen of a phone, and gives it by touch', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 780 });
  await page.goto(address('/review'));
  await expect(sentence(page)).toBeVisible();
  const good = page.getByRole('button', { name: 'Good' });
  await expect(good).toBeInViewport({ ratio: 1 });
  const first = await sentence(page).textContent();
  await good.click();
  await page.getByRole('button', { name: 'Save and next' }).click();
  await expect(sentence(page)).not.toHaveText(first ?? '');
  await expect(good).toBeInViewport({ ratio: 1 });
});

test('a person is mentioned with the keyboard alone, and Review leads to the comment', async ({ page }) => {
  await page.goto(address('/review'));
  await expect(sentence(page)).toBeVisible();
  const { viewer } = (await (await page.request.get(address('/api/session'))).json()) as {
    viewer: { name: string };
  };
  await page.keyboard.press('b');
  const comment = page.getByRole('textbox', { name: 'Comment', exact: true });
  await expect(comment).toBeFocused();
  await page.keyboard.type('why? @priya');
  const people = page.getByRole('listbox', { name: 'People' });
  await expect(people.getByRole('option')).toHaveText(['priya.nair']);
  await expectAccessible(page);
  await page.keyboard.press('Tab');
  await expect(comment).toHaveValue('why? @priya.nair ');
  await page.keyboard.type(`and @${viewer.name.slice(0, 3)}`);
  await expect(people.getByRole('option').first()).toHaveText(viewer.name);
  await page.keyboard.press('Enter');
  await expect(people).toHaveCount(0);
  await page.setViewportSize({ width: 360, height: 740 });
  // On a phone the form is another one, with the same draft.
  await comment.fill(`${await comment.inputValue()}@`);
  await expect(people).toBeInViewport({ ratio: 1 });
  await expectNoSidewaysScroll(page);
  await page.keyboard.press('Backspace');
  await expect(people).toHaveCount(0);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.keyboard.press('Control+Enter');
  await expect(page.locator('#verdict').getByText('None yet')).toBeVisible();

  await page.getByRole('link', { name: 'Comments that mention you' }).click();
  await expect(page).toHaveURL(/\/records\?mentions=me/);
  const records = page
    .getByRole('table')
    .getByRole('row')
    .filter({ has: page.getByRole('link') });
  await expect(records).toHaveCount(1);
  await records.getByRole('link').first().click();
  const mentions = page.getByRole('region', { name: /^Discussion/ }).locator('bdi');
  await expect(mentions).toHaveText(['@priya.nair', `@${viewer.name}`]);
});
