import { beforeEach, expect, test, vi } from 'vitest';
import { type ClusterRuntime } from '@/server/runtime/cluster-runtime';
import { Clusters } from '@/server/runtime/clusters';
import { type ClusterEntry } from '@/server/shared/cluster-entry';
import { ConfigError } from '@/server/shared/config-error';
import { silentLogger } from '@/server/shared/log';
import { entryDefaults } from '@/server/shared/testing/entry-defaults';

interface FakeRuntime extends ClusterRuntime {
  /** Its API server has answered with this id. */
  identify(id: string): void;
}

function entryOf(name: string, change: Partial<ClusterEntry> = {}): ClusterEntry {
  const source = { kind: 'kubeconfig', files: [`/kube/${name}`] } as const;
  return { ...entryDefaults, name, source, title: name, formerNames: [], id: null, ...change };
}

let stopped: string[] = [];
beforeEach(() => (stopped = []));

function fakeRuntime(entry: ClusterEntry): FakeRuntime {
  const server = `https://${entry.name}`;
  const identity = { id: server, name: entry.name, server, version: null, isGuessed: true };
  let announce = () => {};
  return {
    entry,
    cluster: { identity, onConnection: (listener: () => void) => (announce = listener) },
    isReadAs: (other: ClusterEntry) => JSON.stringify(other.source) === JSON.stringify(entry.source),
    stop: () => {
      stopped.push(entry.name);
      return Promise.resolve();
    },
    identify(id: string) {
      Object.assign(identity, { id, isGuessed: false });
      announce();
    },
  } as unknown as FakeRuntime;
}

function open() {
  const opened: FakeRuntime[] = [];
  const broken = new Set<string>();
  const start = vi.fn();
  const onChange = vi.fn();
  const clusters = new Clusters({
    isListed: true,
    open: (entry) => {
      if (broken.has(entry.name)) return Promise.reject(new ConfigError(['Its kubeconfig does not exist.']));
      const runtime = fakeRuntime(entry);
      opened.push(runtime);
      return Promise.resolve(runtime);
    },
    start,
    onChange,
    log: silentLogger,
  });
  const namesOf = () => clusters.all.map(({ entry }) => entry.name);
  return { clusters, opened, broken, start, onChange, namesOf };
}

test('a cluster that is no longer listed stops, and the others are left alone', async () => {
  const { clusters, opened, start, namesOf } = open();
  await clusters.apply([entryOf('eu'), entryOf('us')]);
  await clusters.apply([entryOf('us', { title: 'America' }), entryOf('staging')]);
  expect(namesOf()).toEqual(['us', 'staging']);
  expect(opened.map(({ entry }) => entry.name)).toEqual(['eu', 'us', 'staging']);
  expect(stopped).toEqual(['eu']);
  expect(start).toHaveBeenCalledTimes(3);
  expect(clusters.named('us').entry.title).toBe('America');
});

test('one whose connection is configured otherwise is started again', async () => {
  const { clusters, opened } = open();
  await clusters.apply([entryOf('eu')]);
  await clusters.apply([entryOf('eu', { source: { kind: 'kubeconfig', files: ['/kube/other'] } })]);
  expect(opened).toHaveLength(2);
  expect(stopped).toEqual(['eu']);
  expect(clusters.all).toEqual([opened[1]]);
});

test('one whose credentials can not be used disturbs no other, and is tried again', async () => {
  const { clusters, broken, start, namesOf } = open();
  broken.add('eu');
  await clusters.apply([entryOf('eu'), entryOf('us')]);
  expect(namesOf()).toEqual(['us']);
  expect(clusters.refused).toMatchObject([
    { entry: { name: 'eu' }, reason: 'Its kubeconfig does not exist.' },
  ]);
  broken.clear();
  await clusters.retryRefused();
  expect(namesOf()).toEqual(['eu', 'us']);
  expect(clusters.refused).toEqual([]);
  expect(start).toHaveBeenCalledTimes(2);
});

test('one that is removed while its credentials are read is never started', async () => {
  const { clusters, start } = open();
  const opening = clusters.apply([entryOf('eu')]);
  await clusters.apply([]);
  await opening;
  expect(start).not.toHaveBeenCalled();
  expect(clusters.all).toEqual([]);
});

test('of two entries with one kube-system namespace the later is not read, and says what to do', async () => {
  const { clusters, opened, namesOf } = open();
  await clusters.apply([entryOf('eu'), entryOf('us'), entryOf('copy')]);
  const [eu, us, copy] = opened;
  copy?.identify('uid-1');
  us?.identify('uid-2');
  expect(namesOf()).toEqual(['eu', 'us', 'copy']);
  eu?.identify('uid-1');
  expect(namesOf()).toEqual(['eu', 'us']);
  expect(stopped).toEqual(['copy']);
  expect(clusters.refused).toMatchObject([{ reason: expect.stringContaining('"id:"') as string }]);
});

test('one that was not read is tried again when the configuration changes', async () => {
  const { clusters, opened, namesOf } = open();
  await clusters.apply([entryOf('eu'), entryOf('copy')]);
  for (const runtime of opened) runtime.identify('uid-1');
  await clusters.apply([entryOf('copy')]);
  expect(namesOf()).toEqual(['copy']);
  expect(clusters.refused).toEqual([]);
  expect(opened).toHaveLength(3);
});

test('is ready once opening the archive has been tried, whether it is open or not', () => {
  const { clusters } = open();
  expect(clusters.readiness(false)).toEqual({ ready: false, waitingFor: ['archive'] });
  expect(clusters.readiness(true)).toEqual({ ready: true, waitingFor: [] });
});

test('a name finds its cluster, and so do its id and its former names', async () => {
  const { clusters, opened } = open();
  await clusters.apply([entryOf('eu', { formerNames: ['europe'] }), entryOf('us')]);
  opened[0]?.identify('uid-1');
  for (const name of ['eu', 'uid-1', 'europe']) expect(clusters.named(name)).toBe(opened[0]);
  expect(() => clusters.named('nowhere')).toThrow(/to no cluster "nowhere"/);
});
