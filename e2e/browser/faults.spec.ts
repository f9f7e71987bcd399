import type { Page } from '@playwright/test';
import { expect, test } from '@/e2e/browser/page';
import { annotate, createDeployment, deploymentPath, NAMESPACE, setImage } from '@/e2e/sandbox/deployments';
import { type FaultySandbox, startFaultySandbox } from '@/e2e/support/faulty-sandbox';
import { untilSameState } from '@/e2e/support/until-same-state';
import type { Shiplog, ShiplogOptions } from '@/e2e/support/shiplog';
import type { StoredObject } from '@/sandbox/api/objects/stored-object';

const DEPLOYMENTS = { resources: ['deployments.apps'] };
const REPLICA_SETS = { resources: ['replicasets.apps'] };

let sandbox: FaultySandbox;
let shiplog: Shiplog;

test.beforeAll(async () => {
  sandbox = await startFaultySandbox();
  await createDeployment(sandbox.client, 'web', 'web:1.0');
  await createDeployment(sandbox.client, 'api', 'api:1.0');
  await setImage(sandbox.client, 'web', 'web:1.1');
  shiplog = await sandbox.startShiplog();
});
test.afterAll(async () => {
  await shiplog?.stop();
  await sandbox?.close();
});
test.afterEach(async ({ page }) => {
  // Before the next test stops Shiplog, which would be an error on the console of this one.
  await page.close();
  await sandbox.faults.clear();
});

test('reopens cut watches, shows what happened meanwhile, and calls nothing stale', async ({ page }) => {
  await open(page);
  for (const how of ['end', 'reset'] as const) {
    await sandbox.faults.cutWatches(how);
    await change(page, `cut-${how}`);
    await expect(staleBand(page)).toHaveCount(0);
  }
  await expectActual(page);
});

test('shows changes that arrive twice or in the wrong order as they are', async ({ page }) => {
  await open(page);
  const twice = await sandbox.faults.duplicateEvent({}, { times: 10 });
  await change(page, 'twice');
  await expect.poll(() => twice.hits()).toBeGreaterThan(3);
  const swapped = await sandbox.faults.reorderEvents(DEPLOYMENTS);
  await annotate(sandbox.client, 'web', 'earlier');
  await annotate(sandbox.client, 'web', 'later');
  await expect.poll(() => swapped.hits()).toBe(1);
  await expectActual(page);
});

test('is usable during a thousand changes a second, and correct when they end', async ({ page }) => {
  await open(page);
  await page.goto(shiplog.url);
  await sandbox.faults.churn('deployments.apps', NAMESPACE, 1_000, 4_000);
  await page.getByLabel('Search workloads').fill('api');
  await expect(page.getByRole('table').getByRole('link', { name: /^web/ })).toBeHidden();
  await page.getByRole('table').getByRole('link', { name: /^api/ }).click();
  await expect(page.getByRole('table', { name: 'Rollouts of api' })).toBeVisible();
  await expect.poll(async () => (await sandbox.faults.state()).changesToCome).toBe(0);
  await untilSameState(shiplog, sandbox.client, NAMESPACE);
  await expect(staleBand(page)).toHaveCount(0);
});

test('shows hostile names and values as plain text within their bounds', async ({ page }) => {
  const { client, faults } = sandbox;
  const markup = '<img src="x" onerror="window.hurt = true">';
  const cause = `${markup}\u202eback to front\u0007`;
  await createDeployment(client, 'evil', 'evil:1', { env: [{ name: 'MARKUP', value: cause }] });
  const evil = await client.get<StoredObject>(deploymentPath('evil'));
  const annotations = { ...evil.metadata.annotations, 'kubernetes.io/change-cause': cause };
  await faults.put('deployments.apps', { ...evil, metadata: { ...evil.metadata, annotations } });
  await setImage(client, 'evil', 'evil:2');
  const metadata = { ...evil.metadata, name: markup, uid: 'uid-of-evil' };
  await faults.put('deployments.apps', { ...evil, metadata });

  await page.goto(shiplog.url);
  await expect(page.getByRole('table').getByText(markup).first()).toBeVisible();
  await page.goto(`${shiplog.url}/workloads/deployments.apps/${NAMESPACE}/evil`);
  const shown = page.getByRole('table', { name: 'Rollouts of evil' }).getByText('back to front').first();
  await expect(shown).toContainText(markup);
  await expect(shown).toHaveCSS('unicode-bidi', 'isolate');
  expect(await page.evaluate(() => 'hurt' in window)).toBe(false);
  await expect(page.locator('img[src="x"]')).toHaveCount(0);
  await client.remove(deploymentPath(markup));
  await client.remove(deploymentPath('evil'));
  await untilSameState(shiplog, client, NAMESPACE);
});

const outages: { name: string; words: RegExp; begin: () => Promise<void>; end?: () => Promise<void> }[] = [
  {
    name: 'every new watch is refused',
    words: /Internal error occurred/,
    begin: async () => void (await sandbox.faults.refuseWatches(500)),
  },
  {
    name: 'everything is unavailable, and then the history of watches is pruned (410)',
    words: /unable to handle the request/,
    begin: async () => void (await sandbox.faults.fail(503)),
    end: () => sandbox.faults.forgetHistory(),
  },
  {
    name: 'the API server asks to wait (429)',
    words: /too many requests/,
    begin: async () => void (await sandbox.faults.askToWait(2)),
  },
  {
    name: 'the API server has become slow beyond use',
    words: /did not answer/,
    begin: async () => void (await sandbox.faults.slowDown(8_000)),
  },
  {
    name: 'the token has expired',
    words: /does not accept the credentials/,
    begin: () => sandbox.faults.expireToken(),
    end: async () => sandbox.writeKubeconfig(await sandbox.faults.issueToken()),
  },
];

for (const { name, words, begin, end } of outages) {
  test(`${name}: the page shows its age and the reason, writes nothing, and recovers alone`, async ({
    page,
  }) => {
    await openAnew(page);
    await begin();
    await sandbox.faults.cutWatches('reset');
    await expect(staleBand(page)).toContainText(words);
    await expect(page.getByRole('table', { name: 'Rollouts of web' })).toBeVisible();
    await expect(page.getByRole('button', { name: /^Roll back/ }).first()).toBeDisabled();
    await setImage(sandbox.client, 'web', `web:during-${sandbox.api.store.version}`);
    await end?.();
    await sandbox.faults.clear();
    await expect(staleBand(page)).toHaveCount(0);
    await expectActual(page);
  });
}

test('reports one resource as stale while the others are followed', async ({ page }) => {
  await openAnew(page);
  const refused = await sandbox.faults.fail(500, REPLICA_SETS);
  await sandbox.faults.cutWatches('reset', REPLICA_SETS);
  const band = page.getByRole('status').filter({ hasText: /^Replicasets as of \d\d:\d\d:\d\d\./ });
  await expect(band).toContainText('Internal error occurred');
  await expect(staleBand(page)).toHaveCount(0);
  await refused.end();
  await expect(band).toHaveCount(0);
  await expectActual(page);
});

test('finds by comparing a change without an event, and shows it without a reload', async ({ page }) => {
  await openAnew(page, { env: { SHIPLOG_COMPARE_SECONDS: '1' } });
  const lost = await sandbox.faults.loseEvent(DEPLOYMENTS);
  await sandbox.client.patch(deploymentPath('web'), { spec: { paused: true } });
  await expect.poll(() => lost.hits()).toBe(1);
  await annotate(sandbox.client, 'api', 'told');
  await expect(page.getByRole('heading', { level: 1 })).toContainText(/paused/i);
  await sandbox.client.patch(deploymentPath('web'), { spec: { paused: false } });
  await expectActual(page);
});

async function open(page: Page): Promise<void> {
  await page.goto(`${shiplog.url}/workloads/deployments.apps/${NAMESPACE}/web`);
  await expect(page.getByRole('table', { name: 'Rollouts of web' })).toBeVisible();
  await expect(page.getByText('live', { exact: true }).first()).toBeVisible();
}

/** With its own Shiplog, because the backoff depends on earlier failures. */
async function openAnew(page: Page, options: Partial<ShiplogOptions> = {}): Promise<void> {
  await shiplog.stop();
  shiplog = await sandbox.startShiplog(options);
  await open(page);
}

function staleBand(page: Page) {
  return page.getByRole('status').filter({ hasText: /^(Data is .* old|Nothing could be read yet)/ });
}

/** A new image, which the page shows by itself. */
async function change(page: Page, tag: string): Promise<void> {
  await setImage(sandbox.client, 'web', `web:${tag}`);
  await expect(page.getByRole('table', { name: 'Rollouts of web' })).toContainText(tag);
}

/** The page still follows the cluster, and every answer of Shiplog is correct. */
async function expectActual(page: Page): Promise<void> {
  await change(page, `at-${sandbox.api.store.version}`);
  await untilSameState(shiplog, sandbox.client, NAMESPACE);
}
