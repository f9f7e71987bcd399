import type { Page } from '@playwright/test';
import { expect, expectAccessible, expectNoSidewaysScroll, test } from '@/e2e/browser/page';
import { type KruiseApp, type KruiseDriver, createKruiseDriver } from '@/e2e/support/kruise-driver';
import { type FaultySandbox, startFaultySandbox } from '@/e2e/support/faulty-sandbox';
import type { Shiplog } from '@/e2e/support/shiplog';
import { closeProgress } from '@/e2e/browser/close-progress';

const approval = { pause: {} };
const cart: KruiseApp = {
  name: 'cart',
  kind: 'Deployment',
  replicas: 4,
  style: 'canary',
  steps: [
    { replicas: 1, ...approval },
    { replicas: '50%', ...approval },
    { replicas: '75%', ...approval },
  ],
};
const catalog: KruiseApp = {
  name: 'catalog',
  kind: 'CloneSet',
  replicas: 4,
  style: 'partition',
  steps: [
    { replicas: 1, ...approval },
    { replicas: 2, ...approval },
    { replicas: 3, ...approval },
    { replicas: '100%' },
  ],
};

let sandbox: FaultySandbox;
let driver: KruiseDriver;
let shiplog: Shiplog;

test.beforeAll(async () => {
  sandbox = await startFaultySandbox();
  driver = await createKruiseDriver(sandbox.client);
  await Promise.all([
    ...[cart, catalog].map(async (app) => {
      await driver.create(app);
      await driver.ship(app, '1.1.0');
    }),
    sandbox.startShiplog().then((started) => (shiplog = started)),
  ]);
  await driver.until('cart', 'Progressing 1 StepPaused');
  await driver.until('catalog', 'Progressing 1 StepPaused');
});
test.afterAll(async () => {
  await shiplog?.stop();
  await sandbox?.close();
});
test.afterEach(async ({ page }) => page.close());

const pathOf = ({ name }: KruiseApp) => `${shiplog.url}/rollouts/rollouts.rollouts.kruise.io/shop/${name}`;
const heading = (page: Page) => page.getByRole('heading', { level: 1 });
const dialog = (page: Page) => page.getByRole('dialog');

/** The pods that the page shows for a step are those with its label in the cluster. */
async function expectPods(page: Page, app: KruiseApp, step: number, count: number): Promise<void> {
  const labelled = await driver.podsOfStep(app.name, step);
  expect(labelled).toHaveLength(count);
  const group = page.getByRole('rowgroup').filter({ hasText: `Step ${step}${count} pod` });
  await expect
    .poll(async () =>
      (
        await group
          .locator('[data-pod]')
          .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-pod')))
      ).sort(),
    )
    .toEqual(labelled);
}

test('approves a canary step by step, next to its pods, to its end', async ({ page }) => {
  await page.goto(`${shiplog.url}/rollouts`);
  await page
    .getByRole('row', { name: /cart.*Waiting for approval at step 1 of 3/ })
    .getByRole('link')
    .click();
  for (const step of [1, 2, 3]) {
    await expect(heading(page)).toContainText(`Waiting for approval at step ${step} of 3`);
    await expect(page.getByRole('list', { name: 'Steps' }).locator('[aria-current=step]')).toContainText(
      `Step ${step}Waiting`,
    );
    for (let done = 1; done <= step; done += 1) await expectPods(page, cart, done, 1);
    await page.getByRole('button', { name: /^Approve/ }).click();
    await expect(dialog(page)).toContainText('dry run passed');
    await dialog(page).getByLabel('Reason').fill(`step ${step} looks well`);
    await dialog(page)
      .getByRole('button', { name: `Approve step ${step}` })
      .click();
    await closeProgress(page);
  }
  await expect(heading(page)).toContainText('Completed');
  await driver.until('cart', 'Healthy 3 Completed');
  const { items } = (await shiplog.get('/api/activity')) as { items: { action: string }[] };
  expect(items.filter(({ action }) => action === 'approve')).toHaveLength(3);
});

test('an approval of a step that is no longer the shown one writes nothing', async ({ page }) => {
  await page.goto(pathOf(catalog));
  await expect(heading(page)).toContainText('Waiting for approval at step 1 of 4');
  await page.keyboard.press('a');
  await expect(dialog(page)).toContainText('dry run passed');
  const seen = (await shiplog.get(`/api${new URL(pathOf(catalog)).pathname}`)).rollout.seen as string;
  await driver.approve('catalog');
  await driver.until('catalog', 'Progressing 2 StepPaused');
  await expect(dialog(page)).toContainText(
    'catalog changed since you opened this dialog. Nothing was applied.',
  );
  await expect(dialog(page).getByRole('button', { name: /^Approve/ })).toHaveCount(0);
  const answer = await shiplog.post(`/api${new URL(pathOf(catalog)).pathname}/approve`, { seen });
  expect(answer.status).toBe(409);
  await dialog(page).getByRole('button', { name: 'Review again' }).click();
  await expect(dialog(page).getByRole('button', { name: 'Approve step 2' })).toBeVisible();
  await page.keyboard.press('Escape');
  await driver.until('catalog', 'Progressing 2 StepPaused');
});

test('jumps over a step with the keyboard alone', async ({ page }) => {
  await page.goto(`${shiplog.url}/rollouts?state=waiting`);
  await expect(page.getByRole('row', { name: /catalog/ })).toBeVisible();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await expect(heading(page)).toContainText('Waiting for approval at step 2 of 4');
  await page.keyboard.press('ArrowLeft');
  await expect(page).toHaveURL(/step=2/);
  await page.keyboard.press('ArrowLeft');
  await expect(page).toHaveURL(/step=1/);
  await expect(page.locator('[data-pod]')).toHaveCount(1);
  await page.getByRole('button', { name: 'More actions' }).focus();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('menuitem', { name: 'Jump to step…' })).toBeVisible();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await expect(dialog(page).getByRole('radio').first()).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await expect(dialog(page).getByRole('radio', { name: /Step 4/ })).toBeChecked();
  await expect(dialog(page)).toContainText('dry run passed');
  await page.keyboard.press('ControlOrMeta+Enter');
  await closeProgress(page);
  await expect(heading(page)).toContainText('Completed');
  await expect(page.getByRole('list', { name: 'Steps' })).toContainText('Step 4Done');
  await driver.until('catalog', 'Healthy 4 Completed');
});

test('every page of rollouts is accessible in both themes and fits a phone', async ({ page }) => {
  await driver.ship(catalog, '1.2.0');
  await driver.until('catalog', 'Progressing 1 StepPaused');
  const history = (await shiplog.get('/api/rollouthistories')).items[0].name as string;
  const pagePath = new URL(pathOf(catalog)).pathname;
  for (const path of ['/rollouts', `${pagePath}?action=approve`, pagePath]) {
    await openPage(page, path);
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page);
    }
  }
  for (const path of [
    '/workloads/clonesets.apps.kruise.io/shop/catalog',
    '/rollout-histories?incomplete=shown',
    `/rollout-histories/shop/${history}`,
  ]) {
    await openPage(page, path);
    await expectAccessible(page);
  }
});

test('a rollout is accessible while the list beside it loads', async ({ page }) => {
  await page.route(/\/api\/rollouts\?/, () => undefined); // never answered
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(pathOf(catalog));
  await expect(page.getByRole('row').nth(1)).toBeVisible();
  await expect(page.getByRole('complementary')).toContainText('Loading rollouts');
  await expectAccessible(page);
});

/** On a phone first. */
async function openPage(page: Page, path: string): Promise<void> {
  await page.setViewportSize({ width: 360, height: 800 });
  await page.goto(shiplog.url + path);
  if (path.includes('action=')) await expect(dialog(page)).toContainText('dry run passed');
  else await expect(page.getByRole('row').nth(1)).toBeVisible();
  await expectNoSidewaysScroll(page);
  await page.setViewportSize({ width: 1440, height: 900 });
}
