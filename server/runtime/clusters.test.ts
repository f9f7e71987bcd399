import { beforeEach, expect, test, vi } from 'vitest';
import { type ClusterRuntime } from '@/server/runtime/cluster-runtime';
import { Clusters } from '@/server/runtime/clusters';
import { type ClusterEntry } from '@/server/shared/cluster-entry';
import { ConfigError } from '@/server/shared/config-error';
import { silentLogger } from '@/server/shared/log';

interface FakeRuntime extends ClusterRuntime {
  /** Its API server has answered with this id. */
  identify(id: string): void;
}

function entryOf(name: string, change: Partial<ClusterEntry> = {}): ClusterEntry {
  const source = { kind: 'kubeconfig', files: [`/kube/${name}`] } as const;
  const more = {
    title: name,
    stage: null,
    formerNames: [],
    id: null,
    namespaces: [],
    readOnly: false,
    links: [],
  };
  return { name, source, ...more, ...change };
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
  const start = vi.fn();
  const onChange = vi.fn();
  const clusters = new Clusters({
    isListed: true,
    open: (entry) => {
      if (entry.name === 'broken') throw new ConfigError(['its kubeconfig does not exist.']);
      const runtime = fakeRuntime(entry);
      opened.push(runtime);
      return runtime;
    },
    start,
    onChange,
    log: silentLogger,
  });
  const namesOf = () => clusters.all.map(({ entry }) => entry.name);
  return { clusters, opened, start, onChange, namesOf };
}

test('a cluster that is no longer listed stops, and the others are left alone', () => {
  const { clusters, opened, start, namesOf } = open();
  clusters.apply([entryOf('eu'), entryOf('us')]);
  clusters.apply([entryOf('us', { title: 'America' }), entryOf('staging')]);
  expect(namesOf()).toEqual(['us', 'staging']);
  expect(opened.map(({ entry }) => entry.name)).toEqual(['eu', 'us', 'staging']);
  expect(stopped).toEqual(['eu']);
  expect(start).toHaveBeenCalledTimes(3);
  expect(clusters.named('us').entry.title).toBe('America');
});

test('one whose connection is configured otherwise is started again', () => {
  const { clusters, opened } = open();
  clusters.apply([entryOf('eu')]);
  clusters.apply([entryOf('eu', { source: { kind: 'kubeconfig', files: ['/kube/other'] } })]);
  expect(opened).toHaveLength(2);
  expect(stopped).toEqual(['eu']);
  expect(clusters.all).toEqual([opened[1]]);
});

test('nothing changes where one of them can not be opened, and every problem is named', () => {
  const { clusters, namesOf } = open();
  clusters.apply([entryOf('eu')]);
  expect(() => clusters.apply([entryOf('us'), entryOf('broken')])).toThrow(/broken: its kubeconfig/);
  expect(namesOf()).toEqual(['eu']);
  expect(stopped).toEqual([]);
});

test('of two entries with one kube-system namespace the later is not read, and says what to do', () => {
  const { clusters, opened, namesOf } = open();
  clusters.apply([entryOf('eu'), entryOf('us'), entryOf('copy')]);
  const [eu, us, copy] = opened;
  copy?.identify('uid-1');
  us?.identify('uid-2');
  expect(namesOf()).toEqual(['eu', 'us', 'copy']);
  eu?.identify('uid-1');
  expect(namesOf()).toEqual(['eu', 'us']);
  expect(stopped).toEqual(['copy']);
  expect(clusters.refused).toMatchObject([{ reason: expect.stringContaining('"id:"') as string }]);
});

test('one that was not read is tried again when the configuration changes', () => {
  const { clusters, opened, namesOf } = open();
  clusters.apply([entryOf('eu'), entryOf('copy')]);
  for (const runtime of opened) runtime.identify('uid-1');
  clusters.apply([entryOf('copy')]);
  expect(namesOf()).toEqual(['copy']);
  expect(clusters.refused).toEqual([]);
  expect(opened).toHaveLength(3);
});

test('a name finds its cluster, and so do its id and its former names', () => {
  const { clusters, opened } = open();
  clusters.apply([entryOf('eu', { formerNames: ['europe'] }), entryOf('us')]);
  opened[0]?.identify('uid-1');
  for (const name of ['eu', 'uid-1', 'europe']) expect(clusters.named(name)).toBe(opened[0]);
  expect(() => clusters.named('nowhere')).toThrow(/to no cluster "nowhere"/);
});
