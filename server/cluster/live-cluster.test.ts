import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { workloadKinds } from '@/lib/workloads/table';
import { systemClock } from '@/server/cluster/clock';
import { loadCredentials } from '@/server/cluster/credentials';
import { LiveCluster } from '@/server/cluster/live-cluster';
import { silentLogger } from '@/server/log';
import { startSandboxApi } from '@/server/sandbox/api/sandbox-api';

const behindOf = (cluster: LiveCluster, resource: string) =>
  cluster.cache.states().find((state) => state.resource === resource)?.behind;

test('one resource that can no longer be followed is told, while the others count as connected, until it is back', async () => {
  const api = await startSandboxApi();
  const directory = mkdtempSync(join(tmpdir(), 'shiplog-cluster-'));
  writeFileSync(join(directory, 'kubeconfig'), api.kubeconfig('admin'));
  let aheadMs = 0;
  const cluster = new LiveCluster({
    credentials: loadCredentials({ kind: 'kubeconfig', files: [join(directory, 'kubeconfig')] }),
    readOnly: false,
    namespaces: [],
    kinds: workloadKinds,
    log: silentLogger,
    clock: { ...systemClock, now: () => Date.now() + aheadMs },
  });
  onTestFinished(async () => {
    await cluster.stop();
    await api.stop();
    rmSync(directory, { recursive: true });
  });
  cluster.start();
  await vi.waitFor(() => expect(cluster.ready).toBe(true), 20_000);

  const repair = api.faults.add({ kind: 'status', code: 500 }, { resources: ['deployments.apps'] });
  api.control({ do: 'cutWatches', how: 'reset', scope: { resources: ['deployments.apps'] } });
  aheadMs = 11_000;
  await vi.waitFor(
    () => expect(behindOf(cluster, 'deployments.apps')?.reason).toContain('Internal error'),
    20_000,
  );
  expect(behindOf(cluster, 'pods')).toBeUndefined();
  expect(cluster.connection.state).toBe('connected');

  repair();
  await vi.waitFor(() => expect(behindOf(cluster, 'deployments.apps')).toBeUndefined(), 20_000);
});
