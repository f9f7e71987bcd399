import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, expectNoSidewaysScroll, test } from '@/e2e/browser/page';
import { withSeededSandbox } from '@/e2e/browser/seeded-sandbox';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import { startShiplog } from '@/e2e/support/shiplog';

test.describe.configure({ mode: 'serial' });

const { address } = withSeededSandbox();
const list = { name: 'Rollouts, newest first' };

test('finds rollouts by words, keeps the search in the address, and leads to a record and back', async ({
  page,
}) => {
  await page.goto(address('/records'));
  const table = page.getByRole('table', list);
  await expect(table.getByRole('rowheader').first()).toBeVisible();
  await page.keyboard.press('/');
  await page.keyboard.type('checkout');
  await expect(page).toHaveURL(/[?&]q=checkout/);
  await expect(table.getByRole('rowheader').filter({ hasNotText: 'checkout' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Completed' }).click();
  await expect(page).toHaveURL(/outcome=completed/);
  await page.reload();
  await expect(page.getByRole('searchbox')).toHaveValue('checkout');
  await table.getByRole('rowheader').first().getByRole('link').focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toContainText(/^checkout: .* completed/);
  await page.goBack();
  await expect(page).toHaveURL(/q=checkout/);
  await expect(table.getByRole('row', { name: /checkout/ }).first()).toBeVisible();
});

test('opens the row that j selects, wherever the focus was', async ({ page }) => {
  await page.goto(address('/records'));
  const first = page.getByRole('table', list).getByRole('rowheader').first().getByRole('link');
  await expect(first).toBeVisible();
  await page.getByRole('button', { name: 'Completed' }).focus();
  await page.keyboard.press('j');
  await expect(first).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/records\/.+/);
});

test('says that nothing matches, and how the search works', async ({ page }) => {
  await page.goto(address('/records?q=nothing-is-called-so'));
  await expect(page.getByRole('heading', { name: 'No rollouts match' })).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(page.getByRole('table', list)).toBeVisible();
});

test('shows the size of the archive and its oldest record', async ({ page }) => {
  await page.goto(address('/records'));
  await expect(page.getByText(/SQLite, [\d.]+ [KM]B\. Oldest record:/)).toBeVisible();
});

test('a record is a permalink with its events, its neighbors and its data', async ({ page, context }) => {
  await page.goto(address('/records?q=checkout'));
  await page.getByRole('table', list).getByRole('rowheader').nth(1).getByRole('link').click();
  await expect(page.getByRole('region', { name: 'Events' })).toBeVisible();
  const permalink = page.url();

  const other = await context.newPage();
  await other.goto(permalink);
  const title = await page.getByRole('heading', { level: 1 }).textContent();
  await expect(other.getByRole('heading', { level: 1 })).toHaveText(title ?? '');
  await other.keyboard.press('[');
  await expect(other).not.toHaveURL(permalink);
  await expect(other.getByRole('heading', { level: 1 })).not.toHaveText(title ?? '');
  await expect(other.getByRole('link', { name: /^Next rollout/ })).toBeVisible();
  await other.keyboard.press(']');
  await expect(other).toHaveURL(permalink);
  const around = other.getByRole('link', { name: 'Other changes at that time' });
  await expect(around).toHaveAttribute('href', /^\/timeline\?at=\d{4}-/);

  await other.getByRole('button', { name: 'Download' }).click();
  const download = other.waitForEvent('download');
  await other.getByRole('menuitem', { name: /RolloutHistory/ }).click();
  const file = JSON.parse(readFileSync(await (await download).path(), 'utf8')) as { kind: string };
  expect(file.kind).toBe('RolloutHistory');
});

test('a comment is inert Markdown, can be answered and edited, and belongs to one change', async ({
  page,
}) => {
  await page.goto(address('/records?q=checkout'));
  await page.getByRole('table', list).getByRole('rowheader').nth(1).getByRole('link').click();
  const discussion = page.getByRole('region', { name: 'Discussion' });
  await discussion.getByRole('button', { name: 'Comment' }).click();
  const hostile =
    '**kept** <img src=x onerror="document.title=1"> [x](javascript:document.title=2) ![p](https://example.invalid/p.png)';
  await discussion.getByRole('textbox').fill(hostile);
  await page.reload();
  await expect(discussion.getByRole('textbox')).toHaveValue(hostile);
  await discussion.getByRole('button', { name: 'Preview' }).click();
  await expect(discussion.locator('strong')).toHaveText('kept');
  await discussion.getByRole('button', { name: 'Comment', exact: true }).click();

  const comment = discussion.getByRole('article').first();
  await expect(comment.locator('strong')).toHaveText('kept');
  await expect(discussion.locator('img, a[href^="javascript"]')).toHaveCount(0);
  expect(await page.title()).not.toMatch(/^[12]/);

  await comment.getByRole('button', { name: 'Reply' }).click();
  await page.keyboard.type('so it is');
  await page.keyboard.press('Control+Enter');
  await expect(comment.getByRole('article')).toContainText('so it is');
  await comment.getByRole('button', { name: 'Edit' }).first().click();
  await discussion.getByRole('textbox').fill('another word');
  await discussion.getByRole('button', { name: 'Save' }).click();
  await expect(comment).toContainText('another word');
  await comment.getByRole('button', { name: 'Edited, show history' }).click();
  await expect(comment.locator('strong')).toHaveText('kept');

  const changes = page.getByRole('region', { name: 'Changes' });
  await changes
    .getByRole('button', { name: /^Comments on/ })
    .first()
    .click();
  await changes.getByRole('textbox').fill('about this one');
  await changes.getByRole('button', { name: 'Comment', exact: true }).click();
  await expect(changes.getByRole('article')).toContainText('about this one');
});

test('refuses an invalid comment with a sentence, and leaves its text', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(address('/records?q=checkout'));
  await page.getByRole('table', list).getByRole('rowheader').first().getByRole('link').click();
  const discussion = page.getByRole('region', { name: 'Discussion' });
  await discussion.getByRole('button', { name: 'Comment' }).click();
  const field = discussion.getByRole('textbox');
  // Lines of a kilobyte: with shorter ones the browser's layout alone takes half a minute.
  const huge = `${'a line of words '.repeat(64).slice(1)}\n`.repeat(1_024);
  await page.evaluate((text) => navigator.clipboard.writeText(text), huge);
  await field.focus();
  await page.keyboard.press('ControlOrMeta+v');
  await discussion.getByRole('button', { name: 'Comment', exact: true }).click();
  await expect(discussion.getByRole('alert')).toContainText('can have up to 10,000 characters');
  expect((await field.inputValue()).length).toBe(1_048_576);

  const id = page.url().split('/').at(-1) ?? '';
  const post = (body: string) =>
    page.request.post(address(`/api/records/${id}/comments`), { data: { body } });
  const long = await post('x'.repeat(1_048_576));
  expect(long.status()).toBe(413);
  const controls = await post('bell\u0007');
  expect(controls.status()).toBe(400);
  expect(await controls.text()).toContain('control characters');
  expect((await page.request.get(address('/api/records/no-such-record'))).status()).toBe(404);
});

test('says that a record is unknown', async ({ page }) => {
  await page.goto(address('/records/no-such-record'));
  await expect(page.getByText(/Record not found/)).toBeVisible();
});

test('lists and records fit a phone', async ({ page }) => {
  await page.goto(address('/records'));
  await page.getByRole('table', list).getByRole('rowheader').nth(1).getByRole('link').click();
  await expect(page.getByRole('region', { name: 'Events' })).toBeVisible();
  await page.setViewportSize({ width: 360, height: 780 });
  await expectNoSidewaysScroll(page);
  await page.goto(address('/records'));
  await expect(page.getByRole('table', list).getByRole('rowheader').first()).toBeVisible();
  await expectNoSidewaysScroll(page);
});

test('finds, shows and reviews records while the cluster is unreachable, and after a start without it', async ({
  page,
}) => {
  const cluster = await startControlPlane();
  const dataDir = mkdtempSync(join(tmpdir(), 'shiplog-records-'));
  let shiplog = await startShiplog({ kubeconfig: cluster.kubeconfigs.admin, dataDir });
  try {
    await cluster.kubectl([
      'create',
      'deployment',
      'web',
      '--image=registry.example.com/web:1',
      '--replicas=2',
    ]);
    await page.goto(`${shiplog.url}/records`);
    await expect(page.getByRole('table', list).getByRole('link', { name: /^web/ })).toBeVisible();
    await cluster.killApiServer();
    await page.getByRole('table', list).getByRole('link', { name: /^web/ }).click();
    await expect(page.getByRole('heading', { level: 1 })).toContainText('web');
    await page.keyboard.press('g');
    await page.keyboard.press('Control+Enter');
    await expect(page.getByText(/^Good by/)).toBeVisible();

    const { port } = shiplog;
    await shiplog.stop();
    shiplog = await startShiplog({ kubeconfig: cluster.kubeconfigs.admin, port, dataDir, untilReady: false });
    await page.reload();
    await expect(page.getByRole('heading', { level: 1 })).toContainText('web');
    await expect(page.getByText(/^Good by/)).toBeVisible();
    await page.goto(`${shiplog.url}/records?q=web`);
    await expect(page.getByRole('table', list).getByRole('link', { name: /^web/ })).toBeVisible();
  } finally {
    await shiplog.stop();
    await cluster.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
