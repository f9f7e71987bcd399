import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import type { RecordedProgressiveRollout, RolloutRecord } from '@/lib/api/record';
import type { RecordQuery } from '@/server/archive/record-query';
import { systemClock } from '@/server/shared/clock';
import { loadCredentials } from '@/server/cluster/credentials';
import { makeFolder } from '@/server/cluster/testing/kubeconfig-file';
import { createTransport } from '@/server/cluster/transport';
import { Keys } from '@/server/shared/keys';
import { silentLogger } from '@/server/shared/log';
import { RolloutHistoryWriter } from '@/server/rollout-histories/writer';
import { TestApi } from '@/sandbox/api/testing/api-client';
import { rolloutHistoryCrd } from '@/sandbox/crds/crds';
import { sampleRecord } from '@/test/record-samples';
import { TestArchive } from '@/server/archive/testing/test-archive';

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
  const archive = await TestArchive.open();
  const write = (members: object = {}) =>
    new RolloutHistoryWriter({
      transport,
      clusterId: () => 'cluster',
      namespaces: [],
      archive: () => archive,
      keys: new Keys(Buffer.alloc(32, 7)),
      log: silentLogger,
      clock: { ...systemClock, now: () => Date.parse('2026-01-31T00:00:00Z') },
      ...members,
    });
  const writer = write();
  const stored = async () => ((await api.get(HISTORIES)).body.items ?? []) as unknown as Stored[];
  return { api, archive, writer, write, stored };
}

/** Newest first, as the archive returns them. */
function recordsOf(count: number): RolloutRecord[] {
  return Array.from({ length: count }, (_, index) => {
    const day = String(30 - index).padStart(2, '0');
    const times = { startedAt: `2026-01-${day}T10:00:00Z`, endedAt: `2026-01-${day}T10:02:00Z` };
    return sampleRecord(`r${count - index}`, times);
  });
}

test('writes each ended rollout once, and completes what was half written', async () => {
  const { api, archive, writer, stored } = await begin();
  await api.post(CRDS, rolloutHistoryCrd);
  await archive.put(recordsOf(2));
  await archive.putBodies({ 'hash-5': { spec: { containers: [{ name: 'app' }] } } });
  await writer.reconcile();
  const [first] = await stored();
  await api.patch(
    `${HISTORIES}/${first?.metadata.name ?? ''}/status`,
    { status: { phase: '' } },
    'application/merge-patch+json',
  );
  await writer.reconcile();

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

test('reports a missing kind or right, and continues when that has changed', async () => {
  const { api, archive, writer, stored } = await begin();
  await archive.put(recordsOf(1));
  await writer.reconcile();
  expect(writer.state.state).toBe('unserved');
  await api.post(CRDS, rolloutHistoryCrd);
  await writer.reconcile();
  expect(writer.state.state).toBe('writing');
  expect(await stored()).toHaveLength(1);

  const closed = await begin('viewer');
  await closed.api.post(CRDS, rolloutHistoryCrd);
  await closed.archive.put(recordsOf(1));
  await closed.writer.reconcile();
  expect(closed.writer.state.state).toBe('failing');
  expect(closed.writer.state.reason).toContain('rollouthistories');
});

test('keeps the latest twenty of each workload, and leaves those of other writers alone', async () => {
  const { api, archive, writer, stored } = await begin();
  await api.post(CRDS, rolloutHistoryCrd);
  await api.post(HISTORIES, { metadata: { name: 'theirs' }, spec: {} });
  await archive.put(recordsOf(18));
  await writer.reconcile();
  await archive.put(recordsOf(23));
  await writer.reconcile();
  await writer.reconcile();

  const ids = (await stored()).map(
    ({ metadata }) => metadata.annotations?.['shiplog.dev/record'] ?? 'theirs',
  );
  const expected = ['theirs', ...Array.from({ length: 20 }, (_, index) => `r${23 - index}`)];
  expect(ids.sort()).toEqual(expected.sort());
});

describe('deletes no RolloutHistory', () => {
  /** Twenty-three written ones, three more than the limit. */
  async function full() {
    const stage = await begin();
    await stage.api.post(CRDS, rolloutHistoryCrd);
    const records = recordsOf(23);
    await stage.archive.put(records.slice(3));
    await stage.writer.reconcile();
    await stage.archive.put(records);
    return { ...stage, records };
  }

  test('while nothing was rolled out for longer than the period of writing', async () => {
    const { writer, write, stored } = await full();
    await writer.reconcile();
    await write({ clock: { ...systemClock, now: () => Date.parse('2026-04-30T00:00:00Z') } }).reconcile();
    expect(await stored()).toHaveLength(20);
  });

  test('for an archive that is new and empty', async () => {
    const { write, stored } = await full();
    const empty = await TestArchive.open();
    await write({ archive: () => empty }).reconcile();
    expect(await stored()).toHaveLength(20);
  });

  test('by a pass that is stopped halfway, or fails', async () => {
    const { archive, write, writer, stored } = await full();
    await writer.reconcile();
    expect(await stored()).toHaveLength(23);
    const stopping: RolloutHistoryWriter = write({
      archive: () => ({
        revisions: { body: () => Promise.resolve(null) },
        rollouts: {
          search: async (query: RecordQuery) => {
            const page = await archive.rollouts.search(query);
            void stopping.stop();
            return page;
          },
        },
      }),
    });
    await stopping.reconcile();
    expect(await stored()).toHaveLength(23);
    const failing = {
      revisions: { body: () => Promise.reject(new Error('damaged')) },
      rollouts: archive.rollouts,
    };
    await archive.put([sampleRecord('r24', { startedAt: '2026-01-30T12:00:00Z' })]);
    await write({ archive: () => failing }).reconcile();
    expect(await stored()).toHaveLength(23);
  });

  test('by a pass that did not read the archive to its end', async () => {
    const { archive, write, writer, stored } = await full();
    await writer.reconcile();
    const endless = {
      revisions: { body: () => Promise.resolve(null) },
      rollouts: {
        search: async (query: RecordQuery) => ({
          ...(await archive.rollouts.search({ ...query, cursor: null })),
          nextCursor: 'more',
        }),
      },
    };
    await write({ archive: () => endless }).reconcile();
    expect(await stored()).toHaveLength(23);
  });

  test('of a Shiplog with another archive', async () => {
    const { write, writer, stored } = await full();
    await writer.reconcile();
    await write({ keys: new Keys(Buffer.alloc(32, 8)) }).reconcile();
    expect(await stored()).toHaveLength(23);
    await write().reconcile();
    expect(await stored()).toHaveLength(20);
  });
});

test('records for a rollout that has just ended what led requests to its pods, as far as that can be read', async () => {
  const { api, archive, writer, stored } = await begin();
  await api.post(CRDS, rolloutHistoryCrd);
  await api.post('/api/v1/namespaces/shop/services', {
    metadata: { name: 'cart' },
    spec: { selector: { app: 'cart' }, ports: [{ port: 80 }] },
  });
  const routes = ['Service', 'Ingress', 'HTTPRoute'].map((kind) => ({ kind, name: 'cart' }));
  const rollout: RecordedProgressiveRollout = {
    ...{ system: 'openkruise', resource: 'rollouts.rollouts.kruise.io', name: 'cart', uid: 'u', id: 'x' },
    ...{ style: 'partition', routes, plan: [], planEditedAt: null, jumps: [], result: 'completed' },
    unassigned: [],
  };
  const times = { fresh: '2026-01-30T23:55:00Z', late: '2026-01-30T11:00:00Z' };
  const stepped = { startedAt: '2026-01-30T10:00:00Z', progressiveRollout: rollout };
  for (const [id, endedAt] of Object.entries(times))
    await archive.put([{ ...sampleRecord(id, stepped), endedAt }]);
  await writer.reconcile();
  const specs = new Map(
    (await stored()).map(({ metadata, spec }) => [metadata.annotations['shiplog.dev/record'], spec]),
  );
  const trafficRouting = { ingress: { name: 'cart' }, httpRoute: { name: 'cart' } };
  const data = expect.objectContaining({ selector: { app: 'cart' } }) as JsonObject;
  expect(specs.get('fresh')).toMatchObject({ service: { name: 'cart', data }, trafficRouting });
  expect(specs.get('late')).toMatchObject({ service: { name: 'cart' }, trafficRouting });
  expect(specs.get('late')?.service).not.toHaveProperty('data');
});
