import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { statefulSet } from '@/lib/workloads/kinds/stateful-set';
import type { WorkloadKind } from '@/lib/workloads/kind';
import type { ResourceType } from '@/lib/kube/resource';
import { workloadKinds } from '@/lib/workloads/kinds/table';
import { systemClock } from '@/server/shared/clock';
import type { FoundIdentity } from '@/server/cluster/cluster-identity';
import { loadCredentials } from '@/server/cluster/credentials';
import type { KnownClusters } from '@/server/cluster/known-clusters';
import { LiveCluster, type LiveClusterOptions } from '@/server/cluster/live-cluster';
import { DISCOVERY_INTERVAL_MS } from '@/server/cluster/served-resources';
import { createTransport } from '@/server/cluster/transport';
import { silentLogger } from '@/server/shared/log';
import { startSandboxApi } from '@/sandbox/api/sandbox-api';
import { customResource } from '@/sandbox/crds/crds';

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

type IdentityOptions = Pick<LiveClusterOptions, 'confirm' | 'known' | 'id'>;

async function begin(kinds: readonly WorkloadKind[] = workloadKinds, identity: IdentityOptions = {}) {
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
    ...identity,
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

test('has no id of its API server until that is confirmed, and remembers none', async () => {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const found: FoundIdentity[] = [];
  const remember = vi.fn();
  const known = { idOf: () => undefined, remember } as unknown as KnownClusters;
  const confirm = (answer: FoundIdentity) => {
    found.push(answer);
    return promise;
  };
  const { cluster } = await begin([statefulSet], { confirm, known });
  await vi.waitFor(() => expect(found).toHaveLength(1), 20_000);
  expect(cluster.ready).toBe(true);
  expect(cluster.identity).toMatchObject({ id: found[0]?.hash, isGuessed: true, version: null });
  expect(remember).not.toHaveBeenCalled();
  resolve('the id of its entry');
  await vi.waitFor(() => expect(cluster.identity.id).toBe('the id of its entry'), 20_000);
  expect(cluster.identity.aliases).toEqual([found[0]?.id, found[0]?.hash]);
  expect(remember.mock.calls.every(([, id]) => id === 'the id of its entry')).toBe(true);
});

test('an id that is given is not its own until it is confirmed', async () => {
  const { cluster } = await begin([statefulSet], { id: 'prod', confirm: () => Promise.resolve(undefined) });
  expect(cluster.identity).toMatchObject({ isGuessed: true, formerId: 'prod' });
  cluster.guess(undefined);
  expect(cluster.identity).not.toHaveProperty('formerId');
});

test('is asked again who it is when it is back after an outage', async () => {
  const found: FoundIdentity[] = [];
  const confirm = (answer: FoundIdentity) => {
    found.push(answer);
    return Promise.resolve(found.length === 1 ? answer.id : undefined);
  };
  const { api, cluster } = await begin([statefulSet], { confirm });
  await vi.waitFor(() => expect(cluster.identity.isGuessed).toBeUndefined(), 20_000);
  const { id } = cluster.identity;
  const system = api.store.get('namespaces', '', 'kube-system');
  if (system === undefined) throw new Error('There is no namespace kube-system.');
  const repair = api.faults.add({ kind: 'reset' });
  api.control({ do: 'cutWatches', how: 'reset' });
  await vi.waitFor(() => expect(cluster.connection.state).toBe('unreachable'), 20_000);
  Object.assign(system.metadata, { uid: 'another' });
  repair();
  await vi.waitFor(() => expect(found.at(-1)?.id).toBe('another'), 20_000);
  // Whoever confirms it decides what happens then.
  expect(cluster.identity.id).toBe(id);
});
