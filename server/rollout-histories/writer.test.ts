import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type JsonObject } from '@/lib/kube/json';
import { type RecordedRelease, type RolloutRecord } from '@/lib/ledger/record';
import { type RecordQuery } from '@/server/archive/archive';
import { systemClock } from '@/server/cluster/clock';
import { loadCredentials } from '@/server/cluster/credentials';
import { makeFolder } from '@/server/cluster/testing/kubeconfig-file';
import { createTransport } from '@/server/cluster/transport';
import { Keys } from '@/server/keys';
import { silentLogger } from '@/server/log';
import { RolloutHistoryWriter } from '@/server/rollout-histories/writer';
import { TestApi } from '@/server/sandbox/api/testing/api-client';
import { rolloutHistoryCrd } from '@/server/sandbox/crds/rollout-history';
import { sampleRecord } from '@/test/ledger';
import { MemoryArchive } from '@/test/memory-archive';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const HISTORIES = '/apis/rollouts.kruise.io/v1alpha1/namespaces/shop/rollouthistories';

interface Stored {
  metadata: { name: string; annotations: Record<string, string>; labels: Record<string, string> };
  spec: JsonObject;
  status?: { phase: string };
}

async function begin(user = 'admin') {
  const api = await TestApi.start();
  await api.post('/api/v1/namespaces', { metadata: { name: 'shop' } });
  const folder = makeFolder();
  const file = join(folder.path, 'kubeconfig');
  writeFileSync(file, api.api.kubeconfig(user));
  const credentials = loadCredentials({ kind: 'kubeconfig', files: [file] });
  const transport = createTransport({ credentials, readOnly: false });
  onTestFinished(async () => {
    await transport.close();
    folder.remove();
  });
  const archive = new MemoryArchive();
  const write = (members: object = {}) =>
    new RolloutHistoryWriter({
      transport,
      clusterId: () => 'cluster',
      namespaces: [],
      archive: () => archive.whole,
      keys: new Keys(Buffer.alloc(32, 7)),
      log: silentLogger,
      clock: { ...systemClock, now: () => Date.parse('2026-01-31T00:00:00Z') },
      ...members,
    });
  const writer = write();
  const stored = async () => ((await api.get(HISTORIES)).body.items ?? []) as unknown as Stored[];
  return { api, archive, writer, write, stored };
}

/** Newest first, as the archive gives them. */
function recordsOf(count: number): RolloutRecord[] {
  return Array.from({ length: count }, (_, index) => {
    const day = String(30 - index).padStart(2, '0');
    const times = { startedAt: `2026-01-${day}T10:00:00Z`, endedAt: `2026-01-${day}T10:02:00Z` };
    return sampleRecord(`r${count - index}`, times);
  });
}

test('each rollout that is over is written once, and what was half written is completed', async () => {
  const { api, archive, writer, stored } = await begin();
  await api.post(CRDS, rolloutHistoryCrd);
  archive.records.push(...recordsOf(2));
  archive.bodies.set(archive.records[0]?.to.hash ?? '', { spec: { containers: [{ name: 'app' }] } });
  await writer.pass();
  const [first] = await stored();
  await api.patch(
    `${HISTORIES}/${first?.metadata.name ?? ''}/status`,
    { status: { phase: '' } },
    'application/merge-patch+json',
  );
  await writer.pass();

  expect(writer.state).toEqual({ state: 'writing', reason: null });
  expect(
    (await stored()).map(({ metadata, status }) => [
      metadata.annotations['shiplog.dev/record'],
      status?.phase,
    ]),
  ).toEqual([
    ['r1', 'completed'],
    ['r2', 'completed'],
  ]);
});

test('without the kind, or without the right, it says so and goes on when that has changed', async () => {
  const { api, archive, writer, stored } = await begin();
  archive.records.push(...recordsOf(1));
  await writer.pass();
  expect(writer.state.state).toBe('unserved');
  await api.post(CRDS, rolloutHistoryCrd);
  await writer.pass();
  expect(writer.state.state).toBe('writing');
  expect(await stored()).toHaveLength(1);

  const closed = await begin('viewer');
  await closed.api.post(CRDS, rolloutHistoryCrd);
  closed.archive.records.push(...recordsOf(1));
  await closed.writer.pass();
  expect(closed.writer.state.state).toBe('failing');
  expect(closed.writer.state.reason).toContain('rollouthistories');
});

test('of each workload the latest twenty are kept, and what others wrote is left alone', async () => {
  const { api, archive, writer, stored } = await begin();
  await api.post(CRDS, rolloutHistoryCrd);
  await api.post(HISTORIES, { metadata: { name: 'theirs' }, spec: {} });
  archive.records.push(...recordsOf(18));
  await writer.pass();
  archive.records.splice(0, archive.records.length, ...recordsOf(23));
  await writer.pass();
  await writer.pass();

  const ids = (await stored()).map(
    ({ metadata }) => metadata.annotations?.['shiplog.dev/record'] ?? 'theirs',
  );
  const expected = ['theirs', ...Array.from({ length: 20 }, (_, index) => `r${23 - index}`)];
  expect(ids.sort()).toEqual(expected.sort());
});

describe('nothing is taken away', () => {
  /** Twenty-three that were written, three of them more than are kept. */
  async function full() {
    const stage = await begin();
    await stage.api.post(CRDS, rolloutHistoryCrd);
    const records = recordsOf(23);
    stage.archive.records.push(...records.slice(3));
    await stage.writer.pass();
    stage.archive.records.splice(0, Infinity, ...records);
    return { ...stage, records };
  }

  test('while nothing was rolled out for longer than they are written', async () => {
    const { writer, archive, write, stored } = await full();
    await writer.pass();
    archive.records.splice(0, Infinity);
    await write({ clock: { ...systemClock, now: () => Date.parse('2026-04-30T00:00:00Z') } }).pass();
    expect(await stored()).toHaveLength(20);
  });

  test('for an archive that is new and empty', async () => {
    const { write, stored } = await full();
    const empty = new MemoryArchive();
    await write({ archive: () => empty.whole }).pass();
    expect(await stored()).toHaveLength(20);
  });

  test('by a pass that is stopped on its way, or fails', async () => {
    const { archive, write, writer, stored } = await full();
    await writer.pass();
    expect(await stored()).toHaveLength(23);
    const stopping: RolloutHistoryWriter = write({
      archive: () => ({
        body: () => Promise.resolve(null),
        search: async (query: RecordQuery) => {
          const page = await archive.search(query);
          void stopping.stop();
          return page;
        },
      }),
    });
    await stopping.pass();
    expect(await stored()).toHaveLength(23);
    const failing = {
      body: () => Promise.reject(new Error('damaged')),
      search: archive.search.bind(archive),
    };
    archive.records.unshift(sampleRecord('r24', { startedAt: '2026-01-30T12:00:00Z' }));
    await write({ archive: () => failing }).pass();
    expect(await stored()).toHaveLength(23);
  });

  test('by a pass that did not read the archive to its end', async () => {
    const { archive, write, writer, stored } = await full();
    await writer.pass();
    const endless = {
      body: () => Promise.resolve(null),
      search: async (query: RecordQuery) => ({ ...(await archive.search(query)), nextCursor: '0' }),
    };
    await write({ archive: () => endless }).pass();
    expect(await stored()).toHaveLength(23);
  });

  test('of what a Shiplog with another archive wrote', async () => {
    const { write, writer, stored } = await full();
    await writer.pass();
    await write({ keys: new Keys(Buffer.alloc(32, 8)) }).pass();
    expect(await stored()).toHaveLength(23);
    await write().pass();
    expect(await stored()).toHaveLength(20);
  });
});

test('of a release that has just ended it also says what led to its pods, as far as that can be read', async () => {
  const { api, archive, writer, stored } = await begin();
  await api.post(CRDS, rolloutHistoryCrd);
  await api.post('/api/v1/namespaces/shop/services', {
    metadata: { name: 'cart' },
    spec: { selector: { app: 'cart' }, ports: [{ port: 80 }] },
  });
  const routes = ['Service', 'Ingress', 'HTTPRoute'].map((kind) => ({ kind, name: 'cart' }));
  const release: RecordedRelease = {
    ...{ system: 'openkruise', resource: 'rollouts.rollouts.kruise.io', name: 'cart', uid: 'u', id: 'x' },
    ...{ style: 'partition', routes, plan: [], planEditedAt: null, jumps: [], result: 'completed' },
    unassigned: [],
  };
  const times = { fresh: '2026-01-30T23:55:00Z', late: '2026-01-30T11:00:00Z' };
  for (const [id, endedAt] of Object.entries(times))
    archive.records.push({ ...sampleRecord(id, { startedAt: '2026-01-30T10:00:00Z' }), endedAt, release });
  await writer.pass();
  const specs = new Map(
    (await stored()).map(({ metadata, spec }) => [metadata.annotations['shiplog.dev/record'], spec]),
  );
  const trafficRouting = { ingress: { name: 'cart' }, httpRoute: { name: 'cart' } };
  const data = expect.objectContaining({ selector: { app: 'cart' } }) as JsonObject;
  expect(specs.get('fresh')).toMatchObject({ service: { name: 'cart', data }, trafficRouting });
  expect(specs.get('late')).toMatchObject({ service: { name: 'cart' }, trafficRouting });
  expect(specs.get('late')?.service).not.toHaveProperty('data');
});
