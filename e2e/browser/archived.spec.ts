import type { Locator, Page } from '@playwright/test';
import { expect, expectAccessible, expectNoSidewaysScroll, kubectl, test } from '@/e2e/browser/page';
import { signedIn } from '@/e2e/support/local-key';
import type { RecordList } from '@/lib/api/records';

/** The tag of the oldest revision, long pruned from the cluster. */
const image = (name: string, tag: number | string) => `registry.example.com/shop/${name}:${tag}.0`;
const pathOf = (name: string) => `/workloads/deployments.apps/shop/${name}`;
const shop = (...args: string[]) => kubectl('-n', 'shop', ...args);

function create(name: string, tag: number): void {
  shop('create', 'deployment', name, `--image=${image(name, tag)}`, '--replicas=2');
  untilRolledOut(name);
}

function untilRolledOut(name: string): void {
  shop('rollout', 'status', `deployment/${name}`, '--timeout=90s');
}

/** Four rollouts, each recorded to its end before the next one; the cluster retains the last two. */
async function shipFour(name: string): Promise<void> {
  create(name, 1);
  shop('patch', 'deployment', name, '--type=merge', '-p', '{"spec":{"revisionHistoryLimit":1}}');
  await recorded(name, 1);
  for (const tag of [2, 3, 4]) {
    shop('set', 'image', `deployment/${name}`, `${name}=${image(name, tag)}`);
    untilRolledOut(name);
    await recorded(name, tag);
  }
}

/** And the second of its end has passed: of two writes within one second the author of neither can be known. */
async function recorded(name: string, number: number): Promise<void> {
  const uid = shop('get', 'deployment', name, '-o', 'jsonpath={.metadata.uid}').trim();
  const query = new URLSearchParams({ uid, outcome: 'completed' });
  await expect
    .poll(async () => {
      const answer = await fetch(`${process.env.SHIPLOG_URL}/api/records?${query}`, {
        headers: signedIn,
      });
      const { items } = (await answer.json()) as RecordList;
      const latest = items.at(0);
      return (
        latest?.to.number === number &&
        Date.now() - Date.parse(latest.startedAt ?? latest.endedAt ?? '') > 1_000
      );
    })
    .toBe(true);
}

const imageOf = (name: string) => shop('get', 'deployment', name, '-o', 'jsonpath={..image}').trim();

function row(page: Page, name: string, number: number): Locator {
  return page
    .getByRole('table', { name: `Rollouts of ${name}` })
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name: new RegExp(`^${number}\\b`) }) });
}

test('shows, compares, rolls back to and follows a revision that is pruned from the cluster', async ({
  page,
}) => {
  const name = 'long-ago';
  await shipFour(name);
  await page.goto(pathOf(name));
  await expect(row(page, name, 1)).toContainText('Archived');
  await expect(row(page, name, 3)).not.toContainText('Archived');
  await expect(row(page, name, 4).getByRole('link', { name: /^Completed/ })).toHaveAttribute(
    'href',
    /^\/records\//,
  );

  await row(page, name, 4).getByText('Target').click();
  await row(page, name, 1).getByRole('checkbox', { name: 'Select rev 1 to compare' }).check();
  await page.keyboard.press('c');
  await page.waitForURL(/\/compare/);
  await expect(page.getByText('1.0').first()).toBeVisible();
  await expect(page.getByText('4.0').first()).toBeVisible();
  await page.goBack();

  await row(page, name, 1).getByRole('button', { name: 'Roll back… to rev 1' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText(/Pruned from the cluster.*Template from the archive/);
  await expectAccessible(page);
  await dialog.getByRole('button', { name: /^Roll back to rev 1/ }).click();
  await expect(dialog).toContainText(/as revision 5|recorded as|Complete/i);
  await expect.poll(() => imageOf(name)).toBe(image(name, 1));
  await page.keyboard.press('Escape');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('revision 5');
});

test('leads by keys alone to an archived revision and back to what ran before', async ({ page }) => {
  const name = 'long-ago-by-keys';
  await shipFour(name);
  await page.goto(pathOf(name));
  await expect(row(page, name, 1)).toContainText('Archived');
  for (const number of [4, 3, 2, 1]) {
    await page.keyboard.press('j');
    await expect(row(page, name, number)).toHaveAttribute('data-current', 'true');
  }
  await page.keyboard.press('r');
  await expect(page.getByRole('dialog').getByRole('button', { name: /^Roll back to rev 1/ })).toBeEnabled();
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect.poll(() => imageOf(name)).toBe(image(name, 1));
});

test('shows the rollout of a bar in the timeline, with a link to the record', async ({ page }) => {
  const name = 'told-by-bars';
  await shipFour(name);
  await page.goto(pathOf(name));
  const bar = page.getByRole('button', {
    name: /^Revision 2, 2\.0, .*(superseded|completed)/i,
  });
  const card = page.getByRole('dialog', { name: 'Revision 2, 2.0' });
  // A key does nothing before the page's scripts have taken over what the server drew.
  await expect(async () => {
    await bar.press('Enter');
    await expect(card).toBeVisible({ timeout: 2_000 });
  }).toPass();
  await expect(card).toContainText('via kubectl');
  await expect(card.getByRole('link', { name: 'Other changes at that time' })).toHaveAttribute(
    'href',
    /^\/timeline\?at=/,
  );
  await page.keyboard.press('Escape');
  await expect(bar).toBeFocused();
  await page.keyboard.press('Enter');
  await card.getByRole('link', { name: 'Record', exact: true }).click();
  await page.waitForURL(/\/records\//);
  await expect(page.getByRole('heading', { level: 1 })).toContainText(name);
});

test('shows the earlier incarnation of a recreated workload, and rolls back to its template', async ({
  page,
}) => {
  const name = 'born-again';
  create(name, 1);
  shop('delete', 'deployment', name, '--wait=true');
  create(name, 9);
  await page.goto(pathOf(name));
  await expect(row(page, name, 1)).toContainText('9.0');
  await expect(row(page, name, 1)).toHaveCount(1);
  await page.getByRole('button', { name: '1 earlier incarnation' }).click();
  await page.getByRole('menuitem').last().click();
  await page.waitForURL(/\?uid=/);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Earlier incarnation');
  await expect(row(page, name, 1)).toContainText('1.0');
  await page.getByRole('button', { name: 'Roll back… to rev 1' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('Earlier object');
  await dialog.getByRole('button', { name: /^Roll back to rev 1/ }).click();
  await expect.poll(() => imageOf(name)).toBe(image(name, 1));
});

test('shows the history of a deleted workload: no dead end', async ({ page }) => {
  const name = 'gone-for-good';
  create(name, 1);
  shop('delete', 'deployment', name, '--wait=true');
  await page.goto(pathOf(name));
  await expect(page.getByRole('heading', { level: 1 })).toContainText('This is its archived history');
  await expect(row(page, name, 1)).toContainText('1.0');
  await page.getByRole('link', { name: /recorded rollout/ }).click();
  await page.waitForURL(/\/records\?/);
  await expect(
    page
      .getByRole('table')
      .getByRole('link', { name: new RegExp(name) })
      .first(),
  ).toBeVisible();
});

test('archived revisions and earlier incarnations are accessible in both themes and fit a phone', async ({
  page,
}) => {
  const name = 'seen-by-all';
  create(name, 1);
  shop('delete', 'deployment', name, '--wait=true');
  await shipFour(name);
  for (const path of [pathOf(name), null]) {
    if (path === null) await page.goto((await openEarlierIncarnation(page, name)) ?? '');
    else await page.goto(path);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width: 1440, height: 900 });
      await expect(page.getByRole('region', { name: 'Timeline' }).getByRole('group').first()).toBeVisible();
      await expect(page.getByText('archived').first()).toBeVisible();
      await expectAccessible(page);
      await page.setViewportSize({ width: 360, height: 740 });
      await expect(page.getByText('archived').first()).toBeVisible();
      await expectNoSidewaysScroll(page);
      await expectAccessible(page);
    }
  }
});

async function openEarlierIncarnation(page: Page, name: string): Promise<string | null> {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(pathOf(name));
  await page.getByRole('button', { name: '1 earlier incarnation' }).click();
  return page.getByRole('menuitem').last().getAttribute('href');
}
