import { beforeEach, describe, expect, test } from 'vitest';
import { type TimelineQuery, timelineQuerySchema, timelineSchema } from '@/lib/api/timeline';
import type { RolloutRecord } from '@/lib/api/record';
import { FakeCluster } from '@/server/actions/testing/fake-cluster';
import type { Archive } from '@/server/archive/archive';
import type { Lease } from '@/server/archive/lease';
import { TestArchive } from '@/server/archive/testing/test-archive';
import { hour, sampleIncarnation, sampleRecord, START_MS } from '@/server/archive/testing/samples';
import type { ReadContext } from '@/server/views/context';
import { readFleetTimeline } from '@/server/reads/fleet-timeline';
import { archiveContext, oneCluster } from '@/server/reads/testing/one-cluster';
import { viewerNamed } from '@/server/shared/testing/viewers';

const ana = viewerNamed('ana');

let archive: Archive;
let cluster: FakeCluster;
let context: ReadContext;

beforeEach(async () => {
  archive = await TestArchive.open();
  cluster = new FakeCluster();
  context = archiveContext(cluster, archive, Date.parse(hour(20)));
});

/** Each of another workload, in the namespace with which its name begins. */
async function given(
  records: Readonly<Record<string, Partial<RolloutRecord>>>,
  deletedAt: string | null = null,
): Promise<void> {
  const lease = (await archive.leases.acquire('one', START_MS, cluster.identity.id)) as Lease;
  const recordings = Object.entries(records).map(([name, change]) => {
    const [namespace = ''] = name.split('-');
    const labels = { app: name, tier: namespace };
    const life = sampleIncarnation(name, { cluster: cluster.identity.id, namespace, labels, deletedAt });
    return { incarnation: life, revisions: [], activations: [], records: [sampleRecord(life, 1, change)] };
  });
  await archive.record(lease, recordings, START_MS);
}

function read(query: Partial<Record<keyof TimelineQuery, string>>) {
  return readFleetTimeline(oneCluster(context, ana), timelineQuerySchema.parse(query));
}

async function names(query: Partial<Record<keyof TimelineQuery, string>>): Promise<string[]> {
  return (await read(query)).items.map(({ workload }) => workload.name);
}

describe('the timeline', () => {
  test('has what was in progress at any moment of the period, and nothing else', async () => {
    await given({
      'shop-before': { startedAt: hour(1), endedAt: hour(2) },
      'shop-into': { startedAt: hour(1), endedAt: hour(4) },
      'shop-within': { startedAt: hour(4), endedAt: hour(4.5) },
      'shop-out': { startedAt: hour(4.75), endedAt: hour(9) },
      'shop-open': { startedAt: hour(-200), endedAt: null, outcome: null },
      'shop-unseen': { startedAt: null, startedNotAfter: hour(4.25), endedAt: null, outcome: 'unknown' },
      'shop-after': { startedAt: hour(6), endedAt: null, outcome: null },
    });
    const answer = await read({ from: hour(3), to: hour(5) });
    expect(timelineSchema.parse(answer)).toEqual(answer);
    expect(answer.items.map(({ workload }) => workload.name)).toEqual([
      'shop-out',
      'shop-unseen',
      'shop-within',
      'shop-into',
      'shop-open',
    ]);
    expect(answer).toMatchObject({ more: 0, counts: { completed: 3, open: 1, unknown: 1 }, density: null });
  });

  test('states how many more there are than it lists, and counts all of them', async () => {
    await given(
      Object.fromEntries(
        [1, 2, 3, 4, 5].map((n) => [`shop-${n}`, { startedAt: hour(n), endedAt: hour(n + 1) }]),
      ),
    );
    const answer = await read({ from: hour(0), to: hour(10), limit: '2' });
    expect(answer.items).toHaveLength(2);
    expect(answer).toMatchObject({ more: 3, counts: { completed: 5 } });
  });

  test('counts how many began in each part of the recorded time', async () => {
    await given({
      'shop-1': { startedAt: hour(1) },
      'shop-2': { startedAt: hour(1.01), outcome: 'failed' },
      'shop-3': { startedAt: hour(11) },
    });
    const { from, to, density, items } = await read({ parts: '20', limit: '0' });
    expect([from, to, items]).toEqual([hour(1), hour(20), []]);
    expect(density).toEqual({
      partMs: 3_600_000,
      parts: [
        { at: hour(1), counts: { completed: 1, failed: 1 } },
        { at: hour(11), counts: { completed: 1 } },
      ],
    });
  });

  test('is filtered by words, outcome, namespace and the labels of the workload', async () => {
    await given({
      'shop-cart': { startedAt: hour(1), cause: 'faster checkout' },
      'shop-pay': { startedAt: hour(2), outcome: 'failed' },
      'ops-log': { startedAt: hour(3) },
    });
    const period = { from: hour(0), to: hour(9) };
    expect(await names({ ...period, q: 'faster' })).toEqual(['shop-cart']);
    expect(await names({ ...period, outcome: 'failed' })).toEqual(['shop-pay']);
    expect(await names({ ...period, namespace: 'ops' })).toEqual(['ops-log']);
    expect(await names({ ...period, labelSelector: 'tier=shop,app!=shop-pay' })).toEqual(['shop-cart']);
    expect(await names({ ...period, labelSelector: 'tier=none' })).toEqual([]);
  });

  test("neither lists nor counts what the viewer can't see, and names what is missing", async () => {
    await given({ 'shop-cart': { startedAt: hour(1) }, 'ops-log': { startedAt: hour(1) } });
    cluster.answerAccess = ({ namespace }) => ({ allowed: namespace === 'shop' });
    const answer = await read({ parts: '10' });
    expect(answer.items.map(({ workload }) => workload.name)).toEqual(['shop-cart']);
    expect(answer.counts).toEqual({ completed: 1 });
    expect(answer.density?.parts.map(({ counts }) => counts)).toEqual([{ completed: 1 }]);
    expect(answer.places).toEqual([{ resource: 'deployments.apps', namespace: 'shop' }]);
    expect(answer.partial).toEqual([
      { resource: 'deployments.apps', reason: 'ana is not allowed to list deployments in some namespaces.' },
    ]);
    cluster.answerAccess = () => ({ allowed: false });
    expect(await read({ parts: '10' })).toMatchObject({
      items: [],
      counts: {},
      density: { parts: [] },
      places: [],
    });
  });

  test('checks no namespace that was deleted before the period, and shows nothing of it', async () => {
    const previews = Array.from({ length: 40 }, (_, index) => [
      `preview${index}-web`,
      { startedAt: hour(1) },
    ]);
    await given(Object.fromEntries(previews) as Record<string, object>, hour(3));
    await given({ 'shop-cart': { startedAt: hour(6), endedAt: hour(7) } });
    const asked = new Set<string | undefined>();
    cluster.answerAccess = ({ namespace }) => {
      if (namespace !== undefined) asked.add(namespace);
      return { allowed: namespace !== undefined };
    };
    expect(await names({ from: hour(5), to: hour(9) })).toEqual(['shop-cart']);
    expect([...asked]).toEqual(['shop']);
    asked.clear();
    expect(await names({ from: hour(0), to: hour(9) })).toHaveLength(41);
    expect(asked.size).toBe(41);
  });

  test('has nothing of another cluster that shares the archive', async () => {
    await given({ 'shop-cart': { startedAt: hour(1) } });
    const other = new FakeCluster();
    Object.defineProperty(other, 'identity', { value: { ...cluster.identity, id: 'another' } });
    const answer = await readFleetTimeline(
      oneCluster({ ...context, cluster: other }, ana),
      timelineQuerySchema.parse({}),
    );
    expect(answer).toMatchObject({ items: [], places: [] });
  });

  test('rejects a period that is empty, and an invalid selector', async () => {
    await expect(read({ from: hour(2), to: hour(1) })).rejects.toMatchObject({ code: 'bad_request' });
    await expect(read({ from: hour(2), to: 'soon' })).rejects.toMatchObject({ details: { field: 'to' } });
    await expect(read({ labelSelector: 'a=(' })).rejects.toMatchObject({
      details: { field: 'labelSelector' },
    });
  });

  test('states where nothing is recorded', async () => {
    await expect(
      readFleetTimeline(oneCluster({ ...context, archive: null }, ana), timelineQuerySchema.parse({})),
    ).rejects.toMatchObject({ code: 'archive_unavailable' });
    expect(await read({ parts: '10' })).toMatchObject({ items: [], oldestAt: null, density: { parts: [] } });
  });
});
