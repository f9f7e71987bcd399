import { expect, onTestFinished, test, vi } from 'vitest';
import { workloadKinds } from '@/lib/workloads/kinds/table';
import type { Credentials } from '@/server/cluster/credentials';
import { KnownClusters } from '@/server/cluster/known-clusters';
import { LiveCluster, type LiveClusterOptions } from '@/server/cluster/live-cluster';
import { FakeApi } from '@/server/cluster/testing/fake-api';
import { statusError } from '@/server/cluster/testing/fake-collection';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';
import { createLogger } from '@/server/shared/log';
import { Semaphore } from '@/server/shared/semaphore';

const HOUR_MS = 3_600_000;
const PODS = '/api/v1/pods';

const credentials: Credentials = {
  server: 'https://fake.example',
  context: 'test',
  clusterHash: 'hash',
  current: () => Promise.reject(new Error('not used')),
  anonymous: () => Promise.reject(new Error('not used')),
  renew: () => undefined,
};

interface Line {
  level: string;
  message: string;
  cluster: string;
  resource?: string;
  phase?: string;
}

function begin(options: Partial<LiveClusterOptions> = {}, clock = new VirtualClock()) {
  const api = new FakeApi(clock);
  const lines: Line[] = [];
  const log = createLogger({ level: 'info', write: (line) => lines.push(JSON.parse(line) as Line) });
  const cluster = new LiveCluster({
    ...{ credentials, transport: api, readOnly: true, namespaces: [], kinds: workloadKinds, log, clock },
    ...options,
  });
  onTestFinished(() => cluster.stop());
  const messages = () => lines.splice(0).map(({ level, message }) => `${level} ${message}`);
  return { api, clock, cluster, lines, messages };
}

test('a cluster that is away costs one probe for each step of the back-off, and is read again by the first that is answered', async () => {
  const { api, clock, cluster } = begin();
  cluster.start();
  await clock.until(() => cluster.ready);
  const watches = api.openWatches;
  expect(watches).toBeGreaterThan(6);
  await clock.advance(120_000);

  api.goAway();
  api.requests.length = 0;
  await clock.advance(60_000);
  expect(cluster.connection.state).toBe('unreachable');
  const others = api.requests.filter((path) => path !== '/version');
  expect(others.length).toBeLessThanOrEqual(2 * watches);

  api.requests.length = 0;
  await clock.advance(HOUR_MS);
  expect(api.requests.every((path) => path === '/version')).toBe(true);
  expect(api.requests.length).toBeLessThan(250);
  await clock.advance(HOUR_MS);
  api.requests.length = 0;
  await clock.advance(HOUR_MS);
  expect(api.requests.length).toBeLessThan(30);

  api.comeBack();
  api.requests.length = 0;
  await clock.until(() => api.requests.length > 0);
  await clock.settle();
  expect(api.openWatches).toBe(watches);
  expect(cluster.connection.state).toBe('connected');
});

test('a cluster that is away from the start is tried by one probe too, and is ready soon after it is back', async () => {
  const { api, clock, cluster } = begin();
  api.goAway();
  cluster.start();
  await clock.advance(60_000);
  api.requests.length = 0;
  await clock.advance(HOUR_MS);
  expect(api.requests.every((path) => path === '/version')).toBe(true);
  api.comeBack();
  const backAt = clock.now();
  await clock.until(() => cluster.ready);
  expect(clock.now() - backAt).toBeLessThanOrEqual(300_000);
});

test('requests that hang at the end of an outage are sent again', async () => {
  const { api, clock, cluster } = begin();
  cluster.start();
  await clock.until(() => cluster.ready);
  const watches = api.openWatches;
  api.cutWatches();
  api.behave = () => Infinity;
  await clock.advance(20_000);
  expect(cluster.connection.state).toBe('unreachable');
  expect(api.openWatches).toBe(0);
  api.comeBack();
  await clock.until(() => api.openWatches === watches);
  expect(cluster.connection.state).toBe('connected');
});

test('answers that are errors leave the back-off to each resource', async () => {
  const { api, clock, cluster } = begin();
  api.behave = (path) => (path.startsWith(PODS) ? statusError(500, 'InternalError', 'etcd') : undefined);
  cluster.start();
  await clock.advance(300_000);
  expect(cluster.connection.state).toBe('connected');
  expect(api.requests.filter((path) => path === PODS).length).toBeGreaterThan(10);
});

test('logs one line when a cluster is lost and one when it is back, each with its name', async () => {
  const { api, clock, cluster, lines, messages } = begin({ name: 'prod-eu' });
  cluster.start();
  await clock.until(() => cluster.ready);
  await clock.advance(60_000);
  expect(messages()).toEqual(['info cluster prod-eu is connected', 'info cluster prod-eu is ready']);

  api.goAway();
  await clock.advance(HOUR_MS);
  api.behave = () => statusError(503, 'ServiceUnavailable', 'no backend');
  await clock.advance(HOUR_MS);
  expect(lines.every((line) => line.cluster === 'prod-eu')).toBe(true);
  expect(messages()).toEqual(['warn cluster prod-eu is unreachable']);

  api.comeBack();
  await clock.advance(HOUR_MS);
  expect(messages()).toEqual(['info cluster prod-eu is connected']);
  expect(cluster.identity.name).toBe('prod-eu');
});

test('logs a resource that cannot be followed while its cluster is connected, and that it can again, once each', async () => {
  const { api, clock, cluster, lines, messages } = begin();
  cluster.start();
  await clock.until(() => cluster.ready);
  messages();
  api.cutWatches();
  await clock.advance(60_000);
  expect(messages()).toEqual(['warn cluster test is unreachable', 'info cluster test is connected']);

  api.behave = (path) => (path.startsWith(PODS) ? statusError(500, 'InternalError', 'etcd') : undefined);
  api.cutWatches();
  await clock.advance(HOUR_MS);
  expect(lines.find(({ resource }) => resource === 'pods')).toMatchObject({
    phase: 'retrying',
    cluster: 'test',
  });
  expect(messages().filter((message) => message.includes('watch'))).toEqual(['warn cannot watch pods']);

  api.goAway();
  await clock.advance(HOUR_MS);
  api.comeBack();
  await clock.advance(HOUR_MS);
  expect(messages()).toEqual([
    'warn cluster test is unreachable',
    'info cluster test is connected',
    'info watching pods again',
  ]);
});

test('logs at once what it is not allowed to read', async () => {
  const { api, clock, cluster, messages } = begin();
  api.behave = (path) => (path.startsWith(PODS) ? statusError(403, 'Forbidden', 'no') : undefined);
  cluster.start();
  await clock.until(() => cluster.ready);
  expect(messages()).toContain('warn cannot watch pods');
});

test('reads the first lists of all clusters three at a time, each cluster in its turn', async () => {
  const clock = new VirtualClock();
  const firstLists = new Semaphore(3);
  const clusters = Array.from({ length: 5 }, () => begin({ firstLists }, clock));
  let running = 0;
  let most = 0;
  const order: number[] = [];
  for (const [index, { api, cluster }] of clusters.entries()) {
    const text = api.text.bind(api);
    api.behave = () => 100;
    api.text = async (request) => {
      if (request.path === '/version') return text(request);
      running += 1;
      most = Math.max(most, running);
      order.push(index);
      return text(request).finally(() => (running -= 1));
    };
    cluster.start();
  }
  await clock.until(() => clusters.every(({ cluster }) => cluster.ready));
  expect(most).toBe(3);
  expect(new Set(order.slice(0, 5)).size).toBe(5);
});

test.each([
  ['hang', Infinity],
  ['are slow', 10_000],
])('lists of other clusters that %s delay a cluster by a few seconds at most', async (_what, latencyMs) => {
  const clock = new VirtualClock();
  const firstLists = new Semaphore(3);
  const others = Array.from({ length: 4 }, () => begin({ firstLists }, clock));
  for (const { api, cluster } of others) {
    api.behave = () => latencyMs;
    cluster.start();
  }
  await clock.settle();
  const { cluster } = begin({ firstLists }, clock);
  const begunAt = clock.now();
  cluster.start();
  await clock.until(() => cluster.ready);
  expect(clock.now() - begunAt).toBeLessThan(30_000);
  for (const other of others) other.api.comeBack();
  await clock.until(() => others.every((other) => other.cluster.ready));
});

test('one hanging cluster does not delay another at all', async () => {
  const clock = new VirtualClock();
  const firstLists = new Semaphore(3);
  const hanging = begin({ firstLists }, clock);
  hanging.api.behave = () => Infinity;
  hanging.cluster.start();
  await clock.settle();
  const { cluster } = begin({ firstLists }, clock);
  const begunAt = clock.now();
  cluster.start();
  await clock.settle();
  expect(cluster.ready).toBe(true);
  expect(clock.now()).toBe(begunAt);
});

test('stopping leaves no timer and no place among the first lists behind, whatever it waited for', async () => {
  for (const behavior of [undefined, 100, Infinity]) {
    for (const afterMs of [0, 50, 7_000, 60_000]) {
      const clock = new VirtualClock();
      const firstLists = new Semaphore(1);
      const { api, cluster } = begin({ firstLists }, clock);
      api.behave = () => behavior;
      cluster.start();
      await clock.advance(afterMs);
      await cluster.stop();
      await clock.settle();
      expect(clock.sleeping).toBe(0);
      expect(api.openWatches).toBe(0);
      (await firstLists.acquire())();
    }
  }
});

test('an id that was given counts from the start, and the uid that is found is no alias of it', async () => {
  const known = new KnownClusters('/does/not/exist');
  vi.spyOn(known, 'idOf').mockReturnValue('another');
  vi.spyOn(known, 'remember').mockImplementation(() => expect.fail('It is remembered.'));
  const { clock, cluster } = begin({ id: 'prod-b', known });
  expect(cluster.identity).toMatchObject({ id: 'prod-b' });
  expect(cluster.identity.isGuessed).toBeUndefined();
  cluster.start();
  await clock.until(() => cluster.identity.version !== null);
  expect(cluster.identity).toMatchObject({ id: 'prod-b', aliases: ['hash'] });
});
