import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { expect, test } from '@/e2e/browser/page';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';

test.describe.configure({ mode: 'serial' });

let cluster: ControlPlane;
let shiplog: Shiplog;

test.beforeAll(async () => {
  cluster = await startControlPlane();
  await cluster.kubectl([
    'create',
    'deployment',
    'web',
    '--image=registry.example.com/web:1',
    '--replicas=2',
  ]);
  shiplog = await startShiplog({ kubeconfig: cluster.kubeconfigs.admin });
});

test.afterAll(async () => {
  await shiplog?.stop();
  await cluster?.stop();
});

test('eight tabs share one stream', async ({ context }) => {
  const pages = await Promise.all(Array.from({ length: 8 }, () => context.newPage()));
  for (const page of pages) {
    await page.goto(shiplog.url);
    await expect(page.getByRole('table').getByRole('link', { name: /^web/ })).toBeVisible();
  }
  const streams = async () =>
    /^shiplog_stream_clients (\d+)/m.exec(await (await shiplog.fetch('/metrics')).text())?.[1];
  await expect.poll(streams).toBe('1');
  await cluster.kubectl(['set', 'image', 'deployment/web', '*=registry.example.com/web:2']);
  for (const page of pages) await expect(page.getByRole('row', { name: /web/ }).first()).toContainText(':2');
});

test('shows a stale page while the API server is down, and a fresh one after its return', async ({
  page,
}) => {
  await page.goto(`${shiplog.url}/workloads/deployments.apps/default/web`);
  await expect(page.getByRole('table', { name: 'Rollouts of web' })).toBeVisible();
  await cluster.killApiServer();
  await expect(page.getByText(/unreachable|data is/i).first()).toBeVisible();
  await expect(page.getByRole('table', { name: 'Rollouts of web' })).toBeVisible();
  await cluster.startApiServer();
  await cluster.kubectl(['set', 'image', 'deployment/web', '*=registry.example.com/web:3']);
  await expect(page.getByRole('table', { name: 'Rollouts of web' })).toContainText('image 2 → 3');
  await expect(page.getByText(/unreachable/i)).toHaveCount(0);
});

test('reports that Shiplog is down, and notices its return without a reload', async ({ page }) => {
  await page.goto(shiplog.url);
  await expect(page.getByRole('table').getByRole('link', { name: /^web/ })).toBeVisible();
  const { port, dataDir } = shiplog;
  await shiplog.stop();
  await expect(
    page
      .getByRole('status')
      .filter({ hasText: /lost|connecting|disconnected|behind/i })
      .first(),
  ).toBeVisible();
  shiplog = await startShiplog({ kubeconfig: cluster.kubeconfigs.admin, port, dataDir });
  await expect(page.getByRole('status').filter({ hasText: /live/i }).first()).toBeVisible();
});
