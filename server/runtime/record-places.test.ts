import { expect, test } from 'vitest';
import type { ArchivedCluster } from '@/lib/api/archived-cluster';
import { AppError } from '@/lib/errors';
import { FakeCluster } from '@/server/actions/testing/fake-cluster';
import type { ClusterIdentity } from '@/server/cluster/cluster-identity';
import { personAs } from '@/server/identity/testing/fixed-identity';
import { rightToAdd } from '@/server/views/record-additions';
import { refusalOf } from '@/server/views/rights';
import type { ClusterRuntime } from '@/server/runtime/cluster-runtime';
import { Clusters } from '@/server/runtime/clusters';
import { type PlaceSources, RecordPlaces } from '@/server/runtime/record-places';
import type { ClusterEntry } from '@/server/shared/cluster-entry';
import { ConfigError } from '@/server/shared/config-error';
import { silentLogger } from '@/server/shared/log';
import { entryDefaults } from '@/server/shared/testing/entry-defaults';
import { processViewer, viewerNamed } from '@/server/shared/testing/viewers';
import type { Viewer } from '@/server/shared/viewer';

const maja = viewerNamed('maja');
const workload = { cluster: 'uid-old', resource: 'deployments.apps', namespace: 'shop' };

interface Given {
  /** What its API server says of itself; absent: the entry is refused. */
  identity?: Partial<ClusterIdentity>;
  entry?: Partial<ClusterEntry>;
}

function entryOf(name: string, change: Partial<ClusterEntry> = {}): ClusterEntry {
  const source =
    name === 'home' ? { kind: 'in_cluster' as const } : { kind: 'kubeconfig' as const, files: [] };
  return { ...entryDefaults, name, source, title: name, formerNames: [], id: null, ...change };
}

function runtimeOf(entry: ClusterEntry, identity: Partial<ClusterIdentity>, viewer: Viewer): ClusterRuntime {
  const cluster = new FakeCluster();
  cluster.identity = { ...cluster.identity, id: `uid-${entry.name}`, name: entry.name, ...identity };
  const viewed = { entry, context: { cluster }, viewer };
  return { ...viewed, cluster, viewerOf: () => viewer, viewedBy: () => viewed } as unknown as ClusterRuntime;
}

/** Where the records of a cluster of the archive belong, beside a cluster that Shiplog runs in. */
async function placeOf(
  archived: Partial<ArchivedCluster>,
  others: Readonly<Record<string, Given>>,
  { viewer = maja, isListed = true }: { viewer?: Viewer; isListed?: boolean } = {},
) {
  const given: Readonly<Record<string, Given>> = isListed ? { home: { identity: {} }, ...others } : others;
  const clusters = new Clusters({
    isListed,
    start: () => undefined,
    onChange: () => undefined,
    log: silentLogger,
    open: (entry) => {
      const identity = given[entry.name]?.identity;
      if (identity === undefined) return Promise.reject(new ConfigError(['Its credential has expired.']));
      return Promise.resolve(runtimeOf(entry, identity, viewer));
    },
  });
  await clusters.apply(Object.entries(given).map(([name, { entry }]) => entryOf(name, entry)));
  const row = { id: 'uid-old', name: 'old', aliases: [], firstSeenAt: '', lastSeenAt: '', ...archived };
  const shared = { archive: { clusters: { list: () => Promise.resolve([row]) } } };
  const sources = { clusters, configuration: { gap: null }, shared } as unknown as PlaceSources;
  return new RecordPlaces(sources, personAs(viewer)).of(row.id);
}

const guessed = { id: 'https://new.example', isGuessed: true };

test('a cluster is removed where no entry has its id, its name, a former name, or an alias', async () => {
  expect((await placeOf({}, { us: { identity: {} } })).state).toBe('removed');
  expect((await placeOf({}, { us: {} })).state).toBe('removed');
  expect((await placeOf({}, { us: { identity: guessed } })).state).toBe('removed');
});

test.each<[string, Partial<ArchivedCluster>, Readonly<Record<string, Given>>]>([
  ['that is refused', {}, { old: {} }],
  ['that was never reached at its address', {}, { old: { identity: guessed } }],
  ['whose former name it has', {}, { us: { entry: { formerNames: ['old'] } } }],
  ['that is given its id', {}, { us: { entry: { id: 'uid-old' } } }],
  [
    'that was reached under one of its aliases',
    { aliases: ['https://a'] },
    { us: { identity: { ...guessed, id: 'https://a' } } },
  ],
  ['that has one of its aliases', { aliases: ['ca-1'] }, { us: { identity: { aliases: ['ca-1'] } } }],
  ['that may be it, where the archive has no name of it', { name: null }, { us: {} }],
  ['of its name that turned out to be another', {}, { old: { identity: { id: 'uid-other' } } }],
])('it is not removed while there is an entry %s', async (_, archived, others) => {
  const place = await placeOf(archived, others);
  expect(place.state).toBe('unknown');
  const right = await rightToAdd(place, workload, 'comments');
  expect(right.state).toBe('unknown');
  expect(refusalOf(right)).toMatch(/^It is unknown whether you are allowed to do this\. /);
});

test('the address that it had before connects it, before its API server answers', async () => {
  const { state } = await placeOf({}, { us: { identity: { ...guessed, formerId: 'uid-old' } } });
  expect(state).toBe('connected');
});

test('nobody adds to the records of a removed cluster, not even the user of the process', async () => {
  const place = await placeOf({}, {}, { viewer: processViewer('ana') });
  expect(place).toMatchObject({ state: 'removed', right: { state: 'allowed' } });
  for (const addition of ['reviews', 'comments', 'pins'] as const)
    expect(await rightToAdd(place, workload, addition)).toMatchObject({ state: 'denied' });
});

test('a process of one cluster has no removed ones', async () => {
  const place = await placeOf({}, { only: { identity: {} } }, { isListed: false });
  expect(place).toMatchObject({ state: 'unknown', error: { code: 'not_found' } });
});

test('a right that the API server can not be asked for is unknown, with the reason', async () => {
  const place = await placeOf({ id: 'uid-us' }, { us: { identity: {} } });
  if (place.state !== 'connected') throw new Error(place.state);
  const error = new AppError('cluster_unreachable', 'No route to host.');
  place.viewed.context.cluster.access.can = () => Promise.reject(error);
  const right = await rightToAdd(place, workload, 'reviews');
  expect(right).toEqual({ state: 'unknown', error });
  expect(refusalOf(right)).toContain('No route to host.');
});
