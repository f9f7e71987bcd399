import { expect, test } from 'vitest';
import type { ClusterEntryChange } from '@/lib/api/activity-event';
import type { ClusterRefusal } from '@/lib/api/cluster';
import { AppError } from '@/lib/errors';
import { TestArchive } from '@/server/archive/testing/test-archive';
import type { SharedContext } from '@/server/views/context';
import { acceptCluster, rightToAccept } from '@/server/runtime/accept-cluster';
import { Clusters } from '@/server/runtime/clusters';
import { listClusters } from '@/server/runtime/fleet';
import { RecordPlaces } from '@/server/runtime/record-places';
import { entryOf, FakeServer, type FakeRuntime, fakeRuntime } from '@/server/runtime/testing/fake-runtime';
import { Keys } from '@/server/shared/keys';
import { silentLogger } from '@/server/shared/log';
import { processViewer, viewerNamed } from '@/server/shared/testing/viewers';
import type { Person } from '@/server/shared/viewer';

const seen: ClusterRefusal = { kind: 'changed', id: 'uid-2', formerId: 'uid-1' };

function personOf(viewer: ReturnType<typeof viewerNamed>, readOnly?: 'configured'): Person {
  const person = { ...viewer, isShared: false, viewerIn: () => viewer };
  return readOnly === undefined ? person : { ...person, readOnly };
}

const maja = personOf(viewerNamed('maja'));

type Rights = { allowed: boolean } | AppError;

/** Shiplog in the cluster `home`, which was rebuilt since; `rights` is what its API server allows. */
async function open(rights: Rights = { allowed: true }) {
  const archive = await TestArchive.open();
  const server = new FakeServer('https://home');
  const asked: object[] = [];
  const can = (_: unknown, right: object) => {
    asked.push(right);
    return rights instanceof AppError ? Promise.reject(rights) : Promise.resolve(rights);
  };
  const start = async (id: string) => {
    const clusters = new Clusters({
      isListed: true,
      open: (entry, confirm) => {
        const runtime = fakeRuntime(entry, server, confirm, () => undefined);
        Object.assign(runtime.cluster, { access: { can }, namespaces: [] });
        const viewerOf = (person: Person) => person.viewerIn(entry as never);
        return Promise.resolve(Object.assign(runtime, { viewerOf }));
      },
      start: (runtime) => (runtime as FakeRuntime).begin(),
      onChange: () => undefined,
      log: silentLogger,
    });
    await clusters.useArchive(archive.clusters);
    await server.answer(id);
    await clusters.apply([entryOf('home', { source: { kind: 'in_cluster' } })]);
    await soon();
    return clusters;
  };
  await (await start('uid-1')).stop();
  const clusters = await start('uid-2');
  const lines: ClusterEntryChange[] = [];
  const shared: SharedContext = {
    keys: new Keys(Buffer.alloc(32, 7)),
    config: {},
    archive,
    audit: { note: (line) => lines.push(line as ClusterEntryChange) },
    now: () => 0,
  };
  return { archive, clusters, shared, lines, asked };
}

test('a person with the right accepts what they saw, with a line in the audit before', async () => {
  const { archive, clusters, shared, lines, asked } = await open();
  expect(clusters.refused).toMatchObject([{ entry: { name: 'home' }, refusal: seen }]);
  shared.audit = {
    note: (line) => {
      expect(clusters.refused).toHaveLength(1);
      lines.push(line as ClusterEntryChange);
    },
  };
  await acceptCluster({ clusters, shared }, maja, 'home', { refusal: seen });
  expect(asked).toEqual([{ verb: 'update', group: 'shiplog.dev', resource: 'clusters' }]);
  expect(lines).toMatchObject([
    {
      event: 'clusterAccepted',
      by: { id: 'maja' },
      cluster: 'uid-2',
      entry: 'home',
      before: { id: 'uid-1', entry: null },
      code: null,
    },
  ]);
  expect((await archive.clusters.list()).map(({ id, entry }) => [id, entry?.name])).toEqual([
    ['uid-1', 'home'],
    ['uid-2', 'home'],
  ]);
  expect(clusters.refused).toEqual([]);
});

test('nothing is accepted that is no longer so, and the audit says that it failed', async () => {
  const { clusters, shared, lines } = await open();
  const before = { ...seen, formerId: 'uid-0' };
  const accepting = acceptCluster({ clusters, shared }, maja, 'home', { refusal: before });
  await expect(accepting).rejects.toMatchObject({ code: 'conflict' });
  expect(lines.map(({ code }) => code)).toEqual([null, 'conflict']);
  const other = acceptCluster({ clusters, shared }, maja, 'edge', { refusal: seen });
  await expect(other).rejects.toMatchObject({ code: 'not_found' });
  expect(clusters.refused).toHaveLength(1);
});

test.each([
  [
    'without the right',
    maja,
    { allowed: false },
    'forbidden',
    /maja is not allowed to update clusters\.shiplog\.dev in home/,
  ],
  [
    'whose rights are unknown',
    maja,
    new AppError('cluster_unreachable', 'gone'),
    'forbidden',
    /unknown whether you are allowed.*gone/,
  ],
  [
    'in a Shiplog that is read-only',
    personOf(viewerNamed('maja'), 'configured'),
    { allowed: true },
    'read_only',
    /read-only/,
  ],
] as const)('a person %s accepts nothing, and sees why', async (_, person, rights, code, reason) => {
  const { clusters, shared, lines } = await open(rights);
  const accepting = acceptCluster({ clusters, shared }, person, 'home', { refusal: seen });
  await expect(accepting).rejects.toMatchObject({ code });
  expect(lines).toEqual([]);
  expect(clusters.refused).toHaveLength(1);
  const sources = {
    clusters,
    shared,
    configuration: { problem: null, gap: null },
    config: { readOnly: false, sandbox: false },
  };
  const { items } = await listClusters(sources, person);
  expect(items).toMatchObject([{ name: 'home', id: '', server: 'https://home', refusal: seen }]);
  expect(String(items[0]?.acceptDenied)).toMatch(reason);
});

test('is not accepted where the audit can not write its line', async () => {
  const { clusters, shared } = await open();
  shared.audit = {
    note: () => {
      throw new AppError('internal', 'The disk is full.');
    },
  };
  const accepting = acceptCluster({ clusters, shared }, maja, 'home', { refusal: seen });
  await expect(accepting).rejects.toMatchObject({ code: 'internal' });
  expect(clusters.refused).toHaveLength(1);
});

test('the user of the process may accept; without an entry for the own cluster no one else may', async () => {
  const { clusters } = await open({ allowed: false });
  expect(await rightToAccept(clusters, personOf(processViewer('admin')))).toEqual({ state: 'allowed' });
  await clusters.apply([]);
  expect(await rightToAccept(clusters, maja)).toMatchObject({
    state: 'denied',
    why: expect.stringContaining('none of its clusters') as string,
  });
});

test('the records of an id that a refused entry claims are not those of a removed cluster', async () => {
  const { archive, clusters, shared } = await open();
  await archive.clusters.saw({ id: 'uid-2', name: 'old', aliases: [] }, 0);
  const sources = { clusters, shared, configuration: { gap: null } };
  expect(await new RecordPlaces(sources, maja).of('uid-2')).toMatchObject({ state: 'unknown' });
});

/** What happens at once has happened. */
async function soon(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
