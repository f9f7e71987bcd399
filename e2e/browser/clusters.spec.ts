import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, expectAccessible, expectNoSidewaysScroll, test } from '@/e2e/browser/page';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import { writePrivate } from '@/server/shared/write-private';

test.describe.configure({ mode: 'serial' });

const IMAGE = 'registry.example.com/web';
const WEB = '/workloads/deployments.apps/default/web';

let folder = '';
let staging: ControlPlane;
let production: ControlPlane;
let shiplog: Shiplog;

test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'shiplog-clusters-'));
  [staging, production] = await Promise.all([
    startControlPlane({ nodes: 1 }),
    startControlPlane({ nodes: 1 }),
  ]);
  for (const [cluster, tags] of [
    [staging, [1, 2, 3]],
    [production, [1, 2]],
  ] as const) {
    const [first, ...later] = tags;
    await run(cluster, 'create', 'deployment', 'web', `--image=${IMAGE}:${first}`, '--replicas=2');
    await rolledOut(cluster);
    for (const tag of later) {
      await run(cluster, 'set', 'image', 'deployment/web', `*=${IMAGE}:${tag}`);
      await rolledOut(cluster);
    }
  }
  await run(production, 'create', 'deployment', 'billing', '--image=registry.example.com/billing:7');
  writeClusters(['staging', 'prod-eu']);
  shiplog = await startShiplog({ env: { SHIPLOG_CLUSTERS: join(folder, 'clusters.yaml') } });
});

test.afterAll(async () => {
  await shiplog?.stop();
  await Promise.all([staging?.stop(), production?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

async function run(cluster: ControlPlane, ...args: string[]): Promise<void> {
  const { code, stderr } = await cluster.kubectl(args);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
}

function rolledOut(cluster: ControlPlane): Promise<void> {
  return run(cluster, 'rollout', 'status', 'deployment/web', '--timeout=60s');
}

function writeClusters(names: readonly ('staging' | 'prod-eu' | 'prod-copy')[]): void {
  const all = {
    staging: { name: 'staging', stage: 'staging', source: { kubeconfig: staging.kubeconfigs.admin } },
    'prod-eu': {
      ...{ name: 'prod-eu', title: 'Production EU', stage: 'production' },
      source: { kubeconfig: production.kubeconfigs.admin },
    },
    'prod-copy': { name: 'prod-copy', source: { kubeconfig: production.kubeconfigs.admin } },
  };
  writePrivate(
    join(folder, 'clusters.yaml'),
    JSON.stringify({ apiVersion: 'shiplog.dev/v1', clusters: names.map((name) => all[name]) }),
  );
}

const rows = (page: Page) => page.getByRole('table').getByRole('link', { name: /^(web|billing)/ });

test('one list has every cluster, and the choice of clusters stays from page to page', async ({ page }) => {
  await page.goto(shiplog.url);
  await expect(rows(page)).toHaveCount(3);
  await expectAccessible(page);

  // With the keyboard alone.
  await page.getByRole('button', { name: 'Clusters shown: All clusters' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menuitemcheckbox', { name: /Production EU/ })).toBeVisible();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowUp');
  await expect(page.getByRole('menuitemcheckbox', { name: /Production EU/ })).toBeFocused();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await expect(rows(page)).toHaveCount(2);
  await expect(page).toHaveURL(/\?cluster=prod-eu$/);

  await page.getByRole('link', { name: 'Timeline' }).first().click();
  await expect(page).toHaveURL(/\/timeline\?.*cluster=prod-eu/);
  await expect(page.getByRole('button', { name: 'Clusters shown: prod-eu' })).toBeVisible();
  await page.goto(`${shiplog.url}/records`);
  await expect(page).toHaveURL(/cluster=prod-eu/);
  await page.goto(`${shiplog.url}/?stage=staging`);
  await expect(rows(page)).toHaveCount(1);
  await page.getByRole('button', { name: 'Clusters shown: staging' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'All clusters' }).click();
  await expect(rows(page)).toHaveCount(3);
});

test('a link without a cluster opens the only cluster with the workload, or asks which one', async ({
  page,
}) => {
  await page.goto(`${shiplog.url}/workloads/deployments.apps/default/billing`);
  await expect(page.getByRole('navigation', { name: 'Breadcrumbs' })).toContainText(
    'prod-eu/default/billing',
  );
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Complete');
  await page.goto(shiplog.url + WEB);
  await expect(page.getByRole('link', { name: /Production EU/ })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/cluster=(staging|prod-eu)/);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Complete');
});

test('a workload says where else it runs, and compares with its revision there', async ({ page }) => {
  await page.goto(`${shiplog.url}${WEB}?cluster=staging`);
  await page.getByRole('link', { name: 'Compare with prod-eu' }).click();
  await expect(page).toHaveURL(/\/compare\?.*from=prod-eu(:|%3A)live/);
  await expect(page.getByRole('main')).toContainText('prod-eu');
  await expect(page.getByRole('main')).toContainText(/image.*2.*3/);
  await expectAccessible(page);
});

test('a rollback changes the cluster that its dialog names, and no other', async ({ page }) => {
  await page.goto(`${shiplog.url}${WEB}?cluster=staging`);
  await page.keyboard.press('r');
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('staging');
  await dialog.getByRole('button', { name: /^Roll back/ }).click();
  await rolledOutTo(staging, '2');
  await rolledOutTo(production, '2');
  await expect
    .poll(async () => (await production.kubectl(['rollout', 'history', 'deployment/web'])).stdout)
    .not.toMatch(/^3 /m);
});

async function rolledOutTo(cluster: ControlPlane, tag: string): Promise<void> {
  const image = async () =>
    (
      await cluster.kubectl([
        'get',
        'deployment',
        'web',
        '-o',
        'jsonpath={.spec.template.spec.containers[0].image}',
      ])
    ).stdout;
  await expect.poll(image).toBe(`${IMAGE}:${tag}`);
}

test('while one cluster is away, lists keep what was read of it and the other one is unaffected', async ({
  page,
}) => {
  await page.goto(shiplog.url);
  await expect(rows(page)).toHaveCount(3);
  await staging.killApiServer();
  await expect(
    page
      .getByRole('status')
      .filter({ hasText: /staging/ })
      .first(),
  ).toBeVisible();
  await expect(rows(page)).toHaveCount(3);
  await run(production, 'set', 'image', 'deployment/billing', '*=registry.example.com/billing:8');
  await expect(page.getByRole('row', { name: /billing/ }).first()).toContainText(':8');
  await expectAccessible(page);

  await page.goto(`${shiplog.url}/clusters`);
  const entry = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'staging' }) });
  await expect(entry).toContainText('Unreachable');
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 740 });
  await expectNoSidewaysScroll(page);
  await staging.startApiServer();
  await expect(entry).toContainText('Connected');
});

test('an entry that claims the id of another says so, and a person accepts it with the keyboard', async ({
  page,
}) => {
  writeClusters(['prod-copy', 'staging', 'prod-eu']);
  await page.goto(`${shiplog.url}/clusters`);
  const entryOf = (name: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) });
  await expect(entryOf('prod-copy')).toContainText(/Refused.*Claimed id.*Belongs to.*prod-eu/);
  await expect(entryOf('Production EU')).toContainText('Connected');
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 740 });
  await expectNoSidewaysScroll(page);

  await page.getByRole('button', { name: 'Accept prod-copy…' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Accept prod-copy' });
  await expect(dialog).toContainText('the history of prod-eu belongs to prod-copy');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Accept prod-copy…' })).toBeFocused();
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Accept prod-copy' }).focus();
  await page.keyboard.press('Enter');
  await expect(entryOf('prod-copy')).toContainText('Connected');
  await expect(entryOf('Production EU')).toContainText(/Refused.*Belongs to.*prod-copy/);

  await page.goto(`${shiplog.url}/activity/events?kind=cluster`);
  await expect(page.getByRole('table')).toContainText(/Accepted cluster.*prod-copy.*belonged to prod-eu/);
  await page.goto(`${shiplog.url}/clusters`);
  await page.getByRole('button', { name: 'Accept Production EU…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Accept Production EU' }).click();
  await expect(entryOf('Production EU')).toContainText('Connected');
  writeClusters(['staging', 'prod-eu']);
  await expect(entryOf('prod-copy')).toHaveCount(0);
});

test('the history of a removed cluster stays readable, and leads to no workload', async ({ page }) => {
  writeClusters(['prod-eu']);
  await page.goto(`${shiplog.url}/clusters`);
  await expect(page.getByRole('heading', { name: 'No longer connected' })).toBeVisible();
  await page.getByRole('link', { name: 'History of staging' }).click();
  await page.getByRole('table').getByRole('link', { name: /web/ }).first().click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('web');
  await expect(page.getByText('staging').first()).toBeVisible();
  await expect(page.getByRole('button', { name: /Roll back/ })).toHaveCount(0);

  writeClusters(['staging', 'prod-eu']);
  await page.goto(`${shiplog.url}/clusters`);
  const entry = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'staging' }) });
  await expect(entry).toContainText('Connected');
  await expect(page.getByRole('heading', { name: 'No longer connected' })).toHaveCount(0);
});
