import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { seedHistory } from '@/sandbox/seed-history';
import { startSandbox } from '@/sandbox/sandbox';
import { argo, majaLind, ship, undo, workloadsIn } from '@/sandbox/seed/story';

const END = Date.parse('2026-11-20T12:00:00Z');
const shop = workloadsIn('shop');
const fleet = [
  shop('Deployment', 'cart', { replicas: 2 }, [
    ship('20d', argo, 'Cart 1.0.0', '1.0.0'),
    ship('9d', argo, 'Cart 1.1.0', '1.1.0'),
    ship('3d', majaLind, 'Look closer', { env: { LOG_LEVEL: 'debug' } }),
    undo('2d', majaLind, 1, 'Too much to read'),
  ]),
  shop('DaemonSet', 'agent', {}, [ship('20d', argo, null, '4.0.0'), ship('30m', argo, null, '4.1.0')]),
];

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'shiplog-play-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const saved = () => readFileSync(join(dataDir, 'sandbox', 'cluster.json'), 'utf8');

test('the same seed and end give the same cluster to the last byte', async () => {
  await seedHistory({ dataDir, end: END, fleet, seed: 1 });
  const first = saved();
  await seedHistory({ dataDir, end: END, fleet, seed: 1 });
  expect(saved()).toBe(first);
});

test('where everything happens later, what is then after the end has not happened yet', async () => {
  await seedHistory({ dataDir, end: END, fleet, delayMs: 3_600_000 });
  expect(saved()).toContain('agent:4.0.0');
  expect(saved()).not.toContain('agent:4.1.0');
});

test('a seeded history continues at the next start, for its owner alone and for one process at a time', async () => {
  await seedHistory({ dataDir, end: END, fleet });
  const sandbox = await startSandbox({ dataDir });
  const cart = sandbox.api.store.get('deployments.apps', 'shop', 'cart');
  expect(cart?.metadata.annotations).toMatchObject({
    'deployment.kubernetes.io/revision': '4',
    'kubernetes.io/change-cause': 'Cart 1.1.0',
  });
  expect(statSync(sandbox.kubeconfigPath).mode & 0o777).toBe(0o600);
  await expect(startSandbox({ dataDir })).rejects.toThrow('in use by another process');
  await sandbox.stop();
});

test('each sandbox is a cluster of its own: another uid of kube-system', async () => {
  const uids: (string | undefined)[] = [];
  for (let round = 0; round < 2; round += 1) {
    rmSync(dataDir, { recursive: true });
    const sandbox = await startSandbox({ dataDir, empty: true });
    uids.push(sandbox.api.store.get('namespaces', '', 'kube-system')?.metadata.uid);
    await sandbox.stop();
  }
  expect(uids[0]).toBeDefined();
  expect(uids[0]).not.toBe(uids[1]);
});

test('an empty sandbox has nodes and namespaces, but no workloads', async () => {
  const sandbox = await startSandbox({ dataDir, empty: true });
  expect(sandbox.api.store.list('deployments.apps')).toEqual([]);
  await sandbox.stop();
  expect(existsSync(join(dataDir, 'sandbox', 'kubeconfig'))).toBe(true);
});
