import type { Page } from '@playwright/test';
import { expect, expectAccessible, expectNoSidewaysScroll, test } from '@/e2e/browser/page';
import { installArgo } from '@/e2e/support/install-crds';
import { createArgoDriver, type ArgoDriver } from '@/e2e/support/argo-driver';
import { type FaultySandbox, startFaultySandbox } from '@/e2e/support/faulty-sandbox';
import type { Shiplog } from '@/e2e/support/shiplog';
import { closeProgress } from '@/e2e/browser/close-progress';

let sandbox: FaultySandbox;
let driver: ArgoDriver;
let shiplog: Shiplog;

test.beforeAll(async () => {
  sandbox = await startFaultySandbox();
  await installArgo(sandbox.client);
  driver = await createArgoDriver(sandbox.client, 'shop');
  const steps = [{ setWeight: 25 }, { pause: {} }, { setWeight: 50 }, { pause: {} }];
  await Promise.all([
    driver.create('prices', { strategy: { canary: { steps } } }),
    sandbox.startShiplog().then((started) => (shiplog = started)),
  ]);
  await driver.ship('prices', '2', 'prices by region');
  await driver.until('prices', 'Paused CanaryPauseStep 1');
});
test.afterAll(async () => {
  await shiplog?.stop();
  await sandbox?.close();
});
test.afterEach(async ({ page }) => page.close());

const PAGE = '/rollouts/rollouts.argoproj.io/shop/prices';
const heading = (page: Page) => page.getByRole('heading', { level: 1 });
const dialog = (page: Page) => page.getByRole('dialog');

test('the pages of a canary are accessible in both themes and fit a phone', async ({ page }) => {
  await openPage(page, '/workloads/rollouts.argoproj.io/shop/prices');
  await openPage(page, PAGE);
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page);
  }
});

/** On a phone first. */
async function openPage(page: Page, path: string): Promise<void> {
  await page.setViewportSize({ width: 360, height: 800 });
  await page.goto(shiplog.url + path);
  await expect(heading(page)).toContainText('step 2 of 4');
  await expectNoSidewaysScroll(page);
  await page.setViewportSize({ width: 1440, height: 900 });
}

test('promotes a canary in the dialog, aborts it from the menu and restarts it', async ({ page }) => {
  await page.goto(`${shiplog.url}/rollouts`);
  await page
    .getByRole('row', { name: /prices.*step 2 of 4/ })
    .getByRole('link')
    .click();
  await expect(heading(page)).toContainText('step 2 of 4');
  await page.getByRole('button', { name: /^Promote/ }).click();
  await expect(dialog(page)).toContainText('dry run passed');
  await dialog(page).getByLabel('Reason').fill('no errors');
  await dialog(page).getByRole('button', { name: 'Promote step 2' }).click();
  await closeProgress(page);
  await expect(heading(page)).toContainText('step 4 of 4');
  await driver.untilSets('prices', '1 v1*2, 2 v2*2');

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: /^Abort/ }).click();
  await expect(dialog(page)).toContainText('The spec still requests');
  await dialog(page)
    .getByRole('button', { name: /^Abort/ })
    .click();
  await closeProgress(page);
  await expect(heading(page)).toContainText('Aborted');
  await driver.untilSets('prices', '1 v1*4, 2 v2*0');

  await page
    .getByRole('button', { name: /^Retry/ })
    .first()
    .click();
  await dialog(page)
    .getByRole('button', { name: /^Retry/ })
    .click();
  await closeProgress(page);
  await expect(heading(page)).toContainText('step 2 of 4');
  await driver.untilSets('prices', '1 v1*3, 2 v2*1');
});
