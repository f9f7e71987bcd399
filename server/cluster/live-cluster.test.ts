import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { statefulSet } from '@/lib/workloads/kinds/stateful-set';
import { type WorkloadKind } from '@/lib/workloads/kind';
import { type ResourceType } from '@/lib/kube/resource';
import { workloadKinds } from '@/lib/workloads/kinds/table';
import { systemClock } from '@/server/shared/clock';
import { loadCredentials } from '@/server/cluster/credentials';
import { LiveCluster } from '@/server/cluster/live-cluster';
import { DISCOVERY_INTERVAL_MS } from '@/server/cluster/served-resources';
import { createTransport } from '@/server/cluster/transport';
import { silentLogger } from '@/server/shared/log';
import { startSandboxApi } from '@/sandbox/api/sandbox-api';
import { customResource } from '@/sandbox/crds/custom-resource';

const behindOf = (cluster: LiveCluster, resource: string) =>
  cluster.cache.states().find((state) => state.resource === resource)?.behind;

const things: ResourceType = {
  id: 'things.example.com',
  group: 'example.com',
  versions: ['v1', 'v1beta1'],
  plural: 'things',
  kind: 'Thing',
  isCustom: true,
};

async function begin(kinds: readonly WorkloadKind[] = workloadKinds) {
  const api = await startSandboxApi();
  const directory = mkdtempSync(join(tmpdir(), 'shiplog-cluster-'));
  writeFileSync(join(directory, 'kubeconfig'), api.kubeconfig('admin'));
  const ahead = { ms: 0 };
  const credentials = loadCredentials({ kind: 'kubeconfig', files: [join(directory, 'kubeconfig')] });
  const cluster = new LiveCluster({
    credentials,
    readOnly: false,
    namespaces: [],
    kinds,
    log: silentLogger,
    clock: {
      now: () => Date.now() + ahead.ms,
      sleep: (ms, signal) => systemClock.sleep(ms === DISCOVERY_INTERVAL_MS ? 200 : ms, signal),
    },
  });
  const transport = createTransport({ credentials, readOnly: false });
  onTestFinished(async () => {
    await cluster.stop();
    await transport.close();
    await api.stop();
    rmSync(directory, { recursive: true });
  });
  cluster.start();
  await vi.waitFor(() => expect(cluster.ready).toBe(true), 20_000);
  const send = (method: 'POST' | 'DELETE', path: string, body: object = {}) =>
    transport.json({ method, path, body: JSON.stringify(body) });
  return { api, ahead, cluster, send };
}

test('reports one resource that can no longer be followed, while the others count as connected, until it is back', async () => {
  const { api, ahead, cluster } = await begin();
  const repair = api.faults.add({ kind: 'status', code: 500 }, { resources: ['deployments.apps'] });
  api.control({ do: 'cutWatches', how: 'reset', scope: { resources: ['deployments.apps'] } });
  ahead.ms = 11_000;
  await vi.waitFor(
    () => expect(behindOf(cluster, 'deployments.apps')?.reason).toContain('Internal error'),
    20_000,
  );
  expect(behindOf(cluster, 'pods')).toBeUndefined();
  expect(cluster.connection.state).toBe('connected');

  repair();
  await vi.waitFor(() => expect(behindOf(cluster, 'deployments.apps')).toBeUndefined(), 20_000);
});

test('follows a kind of another project as soon as it is defined, and reports no problem before', async () => {
  const kind = { ...statefulSet, resource: things };
  const { cluster, send } = await begin([kind]);
  const names = () => [...cluster.cache.workloads()].map(({ name, version }) => `${name} ${version}`);
  const state = () => cluster.cache.states().find(({ resource }) => resource === things.id);
  expect(state()).toBeUndefined();

  const definition = customResource({
    group: 'example.com',
    kind: 'Thing',
    plural: 'things',
    versions: ['v1beta1'],
  });
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await send('POST', path, definition);
  const thing = { metadata: { name: 'a' }, spec: { template: { spec: { containers: [] } } } };
  await send('POST', '/apis/example.com/v1beta1/namespaces/default/things', thing);
  await vi.waitFor(() => expect(names()).toEqual(['a v1beta1']), 25_000);
  expect(state()).toMatchObject({ synced: true, problem: null });
  expect(cluster.objectCount).toBe(1);

  await send('DELETE', `${path}/things.example.com`);
  await vi.waitFor(() => expect(names()).toEqual([]), 25_000);
  await vi.waitFor(() => expect(state()).toBeUndefined(), 25_000);
  expect(cluster.objectCount).toBe(0);
});

test('the identity of the process is the user that the API server takes it for, in every context', async () => {
  const { cluster } = await begin([]);
  await vi.waitFor(() => expect(cluster.self).toMatchObject({ id: 'user:admin', name: 'admin' }), 20_000);
});
