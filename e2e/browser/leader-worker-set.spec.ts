import type { Page } from '@playwright/test';
import { expect, expectAccessible, expectNoSidewaysScroll, test } from '@/e2e/browser/page';
import { type GroupDriver, createGroupDriver } from '@/e2e/support/group-driver';
import { type FaultySandbox, startFaultySandbox } from '@/e2e/support/faulty-sandbox';
import type { Shiplog } from '@/e2e/support/shiplog';

// One incarnation of a LeaderWorkerSet.
test.describe.configure({ mode: 'serial' });

let sandbox: FaultySandbox;
let llama: GroupDriver;
let shiplog: Shiplog;

/** Only the archive has the template of revision 1; a canary of revision 3 is held at its last group. */
test.beforeAll(async () => {
  sandbox = await startFaultySandbox();
  llama = await createGroupDriver(sandbox.client, 'llama', 4);
  shiplog = await sandbox.startShiplog();
  await untilShown(1, 'complete');
  await recorded(1);
  await llama.ship('1.1.0', 0);
  await untilShown(2, 'complete');
  await recorded(2);
  await expect.poll(archived).toEqual([1]);
  await llama.ship('1.2.0', 3);
  await untilShown(3, 'held');
});
test.afterAll(async () => {
  await shiplog?.stop();
  await sandbox?.close();
});
test.afterEach(async ({ page }) => page.close());

const api = () => shiplog.get(`/api${llama.path}`);

async function untilShown(target: number, state: string): Promise<void> {
  const readState = async () => {
    const { workload } = await api();
    return `${workload.targetRevision} ${workload.state}`;
  };
  await expect.poll(readState).toBe(`${target} ${state}`);
}

/** Changes before the start of the recorder are in no archive. */
async function recorded(number: number): Promise<void> {
  const { workload } = await api();
  const last = async () =>
    (await shiplog.get(`/api/records?uid=${workload.uid}&outcome=completed`)).items.at(0)?.to.number;
  await expect.poll(last).toBe(number);
}

async function archived(): Promise<number[]> {
  const { revisions } = (await api()) as { revisions: { number: number; retained: boolean }[] };
  return revisions.filter(({ retained }) => !retained).map(({ number }) => number);
}

const dialog = (page: Page) => page.getByRole('dialog');
const heading = (page: Page) => page.getByRole('heading', { level: 1 });
/** Revisions and states of the groups by number, as in the picture. */
async function expectGroups(page: Page, revisions: readonly number[], states: string): Promise<void> {
  const table = page.getByRole('table', { name: 'Pods of llama by group' });
  const heads = table.getByRole('columnheader');
  for (const [group, revision] of revisions.entries())
    await expect(heads.nth(group + 1)).toHaveText(new RegExp(`^Group ${group}${revision}`));
  await expect(table.getByRole('row', { name: /^State/ })).toHaveText(`State${states}`);
}

async function confirm(page: Page, button: string, reason: string): Promise<void> {
  await expect(dialog(page)).toContainText('dry run passed');
  await dialog(page).getByLabel('Reason').fill(reason);
  await dialog(page).getByRole('button', { name: button }).click();
}

test('promotes a canary group by group, and still has its predecessor in the archive', async ({ page }) => {
  await page.goto(shiplog.url + llama.path);
  await expect(heading(page)).toContainText('Held');
  await expect(heading(page)).toContainText('partition 3 holds the rest');
  await expectGroups(page, [2, 2, 2, 3], 'HeldHeldHeldUpdated');
  for (const [group, revisions, states] of [
    [2, [2, 2, 3, 3], 'HeldHeldUpdatedUpdated'],
    [1, [2, 3, 3, 3], 'HeldUpdatedUpdatedUpdated'],
  ] as const) {
    await page.getByRole('button', { name: `Update group ${group}…` }).click();
    await expect(dialog(page)).toContainText(`1 group is updated in this order: ${group}.`);
    await confirm(page, `Set partition to ${group}`, `group ${group + 1} answers well`);
    await expect(dialog(page)).toContainText('remaining steps are manual');
    await page.keyboard.press('Escape');
    await expectGroups(page, revisions, states);
  }
  expect(await llama.versions()).toEqual(['1.1.0', '1.2.0', '1.2.0', '1.2.0']);
  await page.getByRole('button', { name: 'Update group 0…' }).focus();
  await page.keyboard.press('Enter');
  await confirm(page, 'Set partition to 0', 'all well');
  await expect(dialog(page)).toContainText('Complete: 12 of 12 pods ready on revision 3.');
  await page.keyboard.press('Escape');
  await expectGroups(page, [3, 3, 3, 3], 'UpdatedUpdatedUpdatedUpdated');
  await expect.poll(archived).toEqual([2, 1]);
  expect(await llama.partition()).toBe(0);
});

test('restarts a group completely through its leader', async ({ page }) => {
  const before = await llama.leader(1);
  await page.goto(shiplog.url + llama.path);
  await page.getByRole('button', { name: 'Restart group 1…' }).click();
  await expect(dialog(page)).toContainText('Leader llama-1 and its 2 workers terminate.');
  await confirm(page, 'Restart group 1 of llama', 'it hangs');
  await expect(dialog(page)).toContainText('Restarted group 1');
  await expect(dialog(page)).toContainText('Group 1 was recreated and is ready on revision 3.');
  expect(await llama.leader(1)).not.toBe(before);
});

test('rolls one group back to an archived revision first, and shows that revision as live again', async ({
  page,
}) => {
  await page.goto(shiplog.url + llama.path);
  await page.getByRole('button', { name: 'Roll back… to rev 1' }).click();
  await expect(dialog(page)).toContainText('Template from the archive');
  await expect(dialog(page)).toContainText(
    'the rollout strategy with its partition and the startup policy are unchanged',
  );
  await dialog(page).getByRole('checkbox', { name: 'Also set partition to' }).check();
  await expect(dialog(page)).toContainText('The same request changes the partition from 0 to 3.');
  await confirm(page, 'Roll back to rev 1 (1.0.0)', 'slower than before');
  await expect(dialog(page)).toContainText('remaining steps are manual');
  await page.keyboard.press('Escape');
  await expectGroups(page, [3, 3, 3, 4], 'HeldHeldHeldUpdated');
  const row = page
    .getByRole('table', { name: 'Rollouts of llama' })
    .getByRole('row', { name: /Same template as rev 1/ });
  await expect(row).toContainText('4');
  expect(await llama.versions()).toEqual(['1.2.0', '1.2.0', '1.2.0', '1.0.0']);
});

test('groups are accessible in both themes, and fit a phone', async ({ page }) => {
  // An open dialog hides the page behind it from role queries.
  const groups = page.locator('table[aria-label="Groups of llama"]');
  const cells = page.locator('table[aria-label="Pods of llama by group"]');
  for (const query of ['', '?action=partition&partition=1', '?rollback=default']) {
    await page.setViewportSize({ width: 360, height: 800 });
    await page.goto(shiplog.url + llama.path + query);
    await expect(groups).toContainText('held by the partition');
    if (query !== '') await expect(dialog(page)).toContainText('dry run passed');
    await expectNoSidewaysScroll(page);
    await page.setViewportSize({ width: 1440, height: 900 });
    await expect(cells).toHaveCount(1);
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page);
    }
  }
});
