import type { Page } from '@playwright/test';
import { expect, expectAccessible, expectNoSidewaysScroll, test } from '@/e2e/browser/page';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { carryOutRollouts, createOamDriver, installOam, type OamDriver } from '@/e2e/support/oam-driver';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import { closeProgress } from '@/e2e/browser/close-progress';

let cluster: ControlPlane;
let carriedOut: Awaited<ReturnType<typeof carryOutRollouts>>;
let driver: OamDriver;
let shiplog: Shiplog;

test.beforeAll(async () => {
  cluster = await startControlPlane();
  await installOam(cluster.client());
  driver = await createOamDriver(cluster.client(), 'oam');
  carriedOut = await carryOutRollouts(cluster);
  const metric = await driver.metric('errors', 7, { max: 1 });
  const env = { ...carriedOut.env, SHIPLOG_LEASE_NAMESPACE: driver.namespace };
  await Promise.all([
    driver.begin('cart'),
    driver.begin('prices', { canaryMetric: [metric], batchPartition: 3 }),
    driver.begin('blog', { revertOnDelete: true }),
    startShiplog({ kubeconfig: cluster.kubeconfigs.admin, env }).then((started) => (shiplog = started)),
  ]);
});
test.afterAll(async () => {
  await shiplog?.stop();
  await carriedOut?.stop();
  await cluster?.stop();
});
test.afterEach(async ({ page }) => page.close());

const pageOf = (name: string) => `${shiplog.url}/rollouts/rollouts.standard.oam.dev/oam/${name}`;
const heading = (page: Page) => page.getByRole('heading', { level: 1 });
const dialog = (page: Page) => page.getByRole('dialog');

/** Opens the dialog, waits for its check, and confirms. */
async function confirm(page: Page, action: RegExp): Promise<void> {
  await expect(dialog(page)).toContainText('dry run passed');
  await dialog(page).getByLabel('Reason').fill('as planned');
  await dialog(page).getByRole('button', { name: action }).click();
  await closeProgress(page);
}

test('approves four batches one by one, and begins none while the rollout is paused', async ({ page }) => {
  // That an open list follows its rollouts is tested in rollouts.spec.ts.
  await driver.untilPods('cart', '3+1');
  const row = page.getByRole('row', { name: /cart.*Waiting for approval at batch 1 of 4/ });
  await expect(async () => {
    await page.goto(`${shiplog.url}/rollouts`);
    await expect(row).toBeVisible({ timeout: 5_000 });
  }).toPass();
  await row.getByRole('link').click();
  for (const batch of [1, 2, 3]) {
    await expect(heading(page)).toContainText(`Waiting for approval at batch ${batch} of 4`);
    await driver.untilPods('cart', `${4 - batch}+${batch}`);
    if (batch === 2) await pauseAndResume(page);
    await page.getByRole('button', { name: /^Approve/ }).click();
    await confirm(page, new RegExp(`^Approve batch ${batch}`));
  }
  await expect(heading(page)).toContainText('Completed');
  await driver.untilPods('cart', '0+4');
  // The result and the log have the name of the button.
  await expect(page.getByRole('status').filter({ hasText: 'Approved batch 3.' })).toBeVisible();
  await page.getByRole('link', { name: 'Record', exact: true }).first().click();
  await expect(page.getByRole('region', { name: 'Events' })).toBeVisible();
  await page.goto(`${shiplog.url}/activity`);
  for (const batch of [1, 2, 3])
    await expect(page.getByRole('cell', { name: `Approve batch ${batch}`, exact: true })).toBeVisible();
});

async function pauseAndResume(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Pause/ }).click();
  await confirm(page, /^Pause/);
  await expect(heading(page)).toContainText('Paused in batch 2 of 4');
  await page
    .getByRole('button', { name: /^Resume/ })
    .first()
    .click();
  await confirm(page, /^Resume/);
  await expect(heading(page)).toContainText('Waiting for approval at batch 2 of 4');
}

test('fails the batch whose metric is out of range, and says so on a phone too', async ({ page }) => {
  await page.goto(pageOf('prices'));
  await expect(heading(page)).toContainText('Failed in batch 1 of 4');
  await expect(page.getByText('Metric errors = 7 (limit ≤ 1)').first()).toBeVisible();
  await driver.untilPods('prices', '3+1');
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page);
  }
  await page.setViewportSize({ width: 360, height: 800 });
  await expectNoSidewaysScroll(page);
});

test('restores the source when a rollout is deleted midway', async ({ page }) => {
  await page.goto(pageOf('blog'));
  await expect(heading(page)).toContainText('Waiting for approval at batch 1 of 4');
  await driver.untilPods('blog', '3+1');
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: /^Delete/ }).click();
  await expect(dialog(page).getByRole('checkbox', { name: 'Revert its changes' })).toBeChecked();
  await confirm(page, /^Delete/);
  await driver.untilGone('blog');
  await driver.untilPods('blog', '4+0');
  await expect(page.getByText('Rollout blog was deleted.')).toBeVisible();
  const { items } = (await shiplog.get('/api/activity')) as { items: { action: string; state: string }[] };
  expect(items).toContainEqual(expect.objectContaining({ action: 'delete', state: 'done' }));
});
