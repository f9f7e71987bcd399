import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { workloadDetailSchema, workloadListQuerySchema } from '@/lib/api/workloads';
import { earlierIncarnationSchema, podTrackSchema } from '@/lib/api/earlier-incarnation';
import { AppError } from '@/lib/errors';
import { canonicalJson, type JsonObject } from '@/lib/kube/json';
import type { RolloutRecord } from '@/lib/api/record';
import type { WorkloadIncarnation } from '@/lib/api/incarnation';
import { argoObject } from '@/lib/workloads/testing/argo';
import { object, template, WORKLOAD_UID } from '@/lib/workloads/testing/objects';
import { FakeCluster } from '@/server/actions/testing/fake-cluster';
import { ana, deployment, path, ref, replicaSetOf } from '@/server/actions/testing/shop';
import type { Archive } from '@/server/archive/archive';
import { intercept } from '@/server/archive/intercept';
import { TestArchive } from '@/server/archive/testing/test-archive';
import { hashOfText } from '@/server/archive/revisions';
import {
  hour,
  sampleActivation,
  sampleIncarnation,
  sampleRecord,
  sampleRevision,
} from '@/server/archive/testing/samples';
import { Keys } from '@/server/shared/keys';
import type { ReadContext } from '@/server/views/context';
import { diffRevisions } from '@/server/reads/diff';
import { LatestRecordSummaries } from '@/server/views/latest-record-summaries';
import { listWorkloads } from '@/server/reads/list-workloads';
import { workloadOrIncarnation } from '@/server/reads/earlier-incarnation';
import { revisionManifest } from '@/server/reads/manifest';
import { revisionBody } from '@/server/reads/revision-body';
import { ChangeSummaries } from '@/server/views/change-summaries';
import { workloadTrack } from '@/server/reads/track';
import { ViewCache } from '@/server/views/workload-view';
import { parseAnswer } from '@/test/parse-answer';
import { oneCluster, onlyCluster } from '@/server/reads/testing/one-cluster';

const SECRET = 'correct-horse-battery';
const NOW = Date.parse(hour(200));

let archive: Archive;
let cluster: FakeCluster;
let context: ReadContext;

/** Revisions 4 and 5 are in the cluster, 1 to 3 in the archive alone; an earlier incarnation had one and two. */
beforeEach(async () => {
  archive = await TestArchive.open();
  cluster = new FakeCluster();
  const keys = new Keys(Buffer.alloc(32, 7));
  context = {
    cluster,
    keys,
    views: new ViewCache(cluster, keys.mask, () => NOW),
    summaries: new ChangeSummaries(keys.mask),
    archive,
    config: { links: [] },
    now: () => NOW,
  };
  cluster.put(replicaSetOf(4, bodyOf(4)));
  cluster.put(replicaSetOf(5, bodyOf(5), 2));
  cluster.put(deployment(bodyOf(5)));
  await record(incarnationOf(WORKLOAD_UID), [1, 2, 3, 4, 5]);
  await record(incarnationOf('uid-before', { createdAt: hour(-20), deletedAt: hour(-1) }), [1, 2], -20);
});

afterEach(() => {
  vi.useRealTimers();
});

function bodyOf(number: number): JsonObject {
  const env = [{ name: 'DB_PASSWORD', value: `${SECRET}-${number}` }];
  const body = template(`1.${number}`);
  return { ...body, spec: { containers: [{ name: 'app', image: `checkout:1.${number}`, env }] } };
}

function incarnationOf(uid: string, given: Partial<WorkloadIncarnation> = {}): WorkloadIncarnation {
  return sampleIncarnation('checkout', { cluster: 'cluster', namespace: 'shop', uid, ...given });
}

const idOf = (incarnation: WorkloadIncarnation, number: number) =>
  incarnation.uid === WORKLOAD_UID && number > 3
    ? `uid-checkout-${number}`
    : `${incarnation.uid}-rs-${number}`;

const hashOf = (number: number) => hashOfText(canonicalJson(bodyOf(number)));

async function record(
  incarnation: WorkloadIncarnation,
  numbers: readonly number[],
  since = 0,
  change: (number: number) => Partial<RolloutRecord> = () => ({}),
): Promise<void> {
  const last = numbers.at(-1);
  const lease = await archive.leases.acquire('test', NOW, incarnation.cluster);
  if (lease === null) throw new Error('no lease');
  const refOf = (number: number) => ({ number, id: idOf(incarnation, number), hash: hashOf(number) });
  const recording = {
    incarnation,
    revisions: numbers.map((number) => ({
      revision: sampleRevision(incarnation, number, {
        ...{ id: idOf(incarnation, number), hash: hashOf(number), name: `checkout-${number}` },
        changeCause: number === 2 ? `because password=${SECRET}` : null,
        images: [{ container: 'app', image: `checkout:1.${number}` }],
        prunedAt: number > 3 ? null : hour(since + number + 10),
      }),
      body: bodyOf(number),
    })),
    activations: numbers.map((number) =>
      sampleActivation(incarnation, number, {
        revision: refOf(number),
        from: hour(since + number * 10),
        to: number === last ? incarnation.deletedAt : hour(since + number * 10 + 10),
      }),
    ),
    records: numbers.map((number) =>
      sampleRecord(incarnation, number, {
        from: number === 1 ? null : refOf(number - 1),
        to: refOf(number),
        startedAt: hour(since + number * 10),
        endedAt: hour(since + number * 10 + 1),
        outcome: 'completed',
        samples: [{ at: hour(since + number * 10), byRevision: [[hashOf(number), 2, 1]] }],
        ...change(number),
      }),
    ),
  };
  await archive.record(lease, [recording], NOW);
}

async function detail() {
  const answer = await workloadOrIncarnation(context, ana, ref, undefined);
  return parseAnswer(workloadDetailSchema, answer);
}

/** Waits for a deadline end at once. */
async function patiently<Answer>(answer: Promise<Answer>): Promise<Answer> {
  answer.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(10_000);
  return answer;
}

async function readEarlierIncarnation(uid: string) {
  return parseAnswer(earlierIncarnationSchema, await workloadOrIncarnation(context, ana, ref, uid));
}

describe('a workload whose revisions the cluster has pruned', () => {
  test('lists those that the archive has in their place, and no number is missing', async () => {
    const { revisions, gaps, partial } = await detail();
    expect(revisions.map(({ number, retained }) => `${number} ${retained}`)).toEqual([
      '5 true',
      '4 true',
      '3 false',
      '2 false',
      '1 false',
    ]);
    expect({ gaps, partial }).toEqual({ gaps: [], partial: [] });
    expect(revisions[2]).toMatchObject({
      archived: { prunedAt: hour(13), hasTemplate: true },
      pods: { total: 0, ready: 0 },
      live: false,
      images: [{ container: 'app', image: 'checkout:1.3' }],
      summary: 'image 1.2 → 1.3; env DB_PASSWORD changed',
    });
    expect(revisions[1]?.summary).toBe('image 1.3 → 1.4; env DB_PASSWORD changed');
  });

  test('names for one in the cluster the former numbers that only the archive has', async () => {
    const incarnation = incarnationOf(WORKLOAD_UID);
    const again = sampleRevision(incarnation, 5, {
      ...{ id: idOf(incarnation, 5), hash: hashOf(5), name: 'checkout-5', numbers: [2, 5], prunedAt: null },
    });
    const lease = await archive.leases.acquire('test', NOW, incarnation.cluster);
    if (lease === null) throw new Error('no lease');
    const revisions = [{ revision: again, body: bodyOf(5) }];
    await archive.record(lease, [{ incarnation, revisions, activations: [], records: [] }], NOW);
    expect((await detail()).revisions[0]).toMatchObject({
      number: 5,
      alsoNumbers: [2],
      explanation: 'Formerly revision 2; renumbered to 5 by a rollback.',
    });
  });

  test('answers a number that has moved with its new number, for every viewer', async () => {
    const incarnation = incarnationOf(WORKLOAD_UID);
    const again = sampleRevision(incarnation, 5, {
      ...{ id: idOf(incarnation, 5), hash: hashOf(5), name: 'checkout-5', numbers: [9, 5], prunedAt: null },
    });
    const lease = await archive.leases.acquire('test', NOW, incarnation.cluster);
    if (lease === null) throw new Error('no lease');
    const revisions = [{ revision: again, body: bodyOf(5) }];
    await archive.record(lease, [{ incarnation, revisions, activations: [], records: [] }], NOW);
    const { id } = (await detail()).revisions[0] ?? {};
    const asked = [
      () => revisionManifest(context, cluster.self, ref, '9'),
      () => revisionBody(context, cluster.self, ref, '9'),
      () => diffRevisions(context, cluster.self, ref, { from: '9', to: 'live', yaml: false }, onlyCluster),
    ];
    for (const ask of asked)
      await expect(ask()).rejects.toMatchObject({
        code: 'not_found',
        message: expect.stringMatching(/^Revision 9 was renumbered to 5/) as string,
        details: { id, number: 5 },
      });
  });

  test('shows the changes against the previous target, as the record has it, and not against the number below', async () => {
    const incarnation = incarnationOf(WORKLOAD_UID);
    const from = (number: number, id = idOf(incarnation, number)) => ({
      from: { number, id, hash: hashOf(number) },
    });
    await record(incarnation, [1, 2, 3, 4, 5], 0, (number) =>
      number === 5 ? from(2) : number === 3 ? from(1, 'no longer known') : {},
    );
    const { revisions } = await detail();
    expect(revisions[0]).toMatchObject({
      summary: 'image 1.2 → 1.5; env DB_PASSWORD changed',
      before: { number: 2, ran: true },
    });
    expect(revisions[1]).toMatchObject({ before: { number: 3, ran: true } });
    expect(revisions[2]).toMatchObject({ before: { id: 'no longer known', number: 1, ran: true } });
  });

  test('shows of each when it was active and the outcome of its rollout', async () => {
    const { revisions } = await detail();
    expect(revisions[3]?.activations).toMatchObject([
      { from: hour(20), to: hour(30), open: false, record: { outcome: 'completed', endedAt: hour(21) } },
    ]);
    expect(revisions[0]?.activations).toMatchObject([{ from: hour(50), open: true, to: null }]);
  });

  test('shows no credential, neither in a template nor in a cause', async () => {
    const answers = [
      await detail(),
      await readEarlierIncarnation('uid-before'),
      await revisionBody(context, ana, ref, '1'),
      await diffRevisions(context, ana, ref, { from: '1', to: '3', yaml: true }, onlyCluster),
    ];
    expect(JSON.stringify(answers)).not.toContain(SECRET);
  });

  test('offers the last revision that ran healthily, even if only the archive has it', async () => {
    expect((await detail()).workload.defaultTarget).toMatchObject({
      number: 4,
      why: 'completed on 4 Mar, ran 9 hours',
      reverts: 1,
    });
    await record(incarnationOf(WORKLOAD_UID), [1, 2, 3, 4, 5], 0, (number) => ({
      outcome: number === 4 ? 'failed' : 'completed',
    }));
    expect((await detail()).workload.defaultTarget).toMatchObject({
      ...{ id: `${WORKLOAD_UID}-rs-3`, number: 3 },
      reverts: 2,
    });
  });

  test('offers the last revision of which pods ran, unless another workload runs the templates', async () => {
    await record(incarnationOf(WORKLOAD_UID), [1, 2, 3, 4, 5], 0, (number) => ({
      outcome: number > 3 ? 'noPods' : 'completed',
    }));
    expect((await detail()).workload.defaultTarget).toMatchObject({ number: 3 });
    const spec = { workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: ref.name } };
    cluster.put({ ...argoObject({ name: 'canary', uid: 'uid-canary' }), spec });
    expect((await detail()).workload.defaultTarget).toMatchObject({ number: 4, why: 'outcome unknown' });
  });

  test('marks a target as unproven only where the archive can’t be read', async () => {
    expect((await detail()).workload.defaultTarget).not.toHaveProperty('unproven');
    context.archive = undefined;
    expect((await detail()).workload.defaultTarget).toEqual({
      ...{ id: 'uid-checkout-4', number: 4, why: 'outcome unknown' },
    });
  });

  test('compares and reads them by number and by id', async () => {
    const byNumber = await diffRevisions(context, ana, ref, { from: '2', to: '5', yaml: false }, onlyCluster);
    const byId = await diffRevisions(
      context,
      ana,
      ref,
      {
        from: `${WORKLOAD_UID}-rs-2`,
        to: 'live',
        yaml: false,
      },
      onlyCluster,
    );
    expect(byNumber.summary).toBe('image 1.2 → 1.5; env DB_PASSWORD changed');
    expect(byId.summary).toBe(byNumber.summary);
    const body = await revisionBody(context, ana, ref, '3');
    expect(body).toMatchObject({ number: 3, id: `${WORKLOAD_UID}-rs-3`, name: 'checkout-3' });
  });

  test('names the revisions that an ambiguous number may mean', async () => {
    const incarnation = incarnationOf(WORKLOAD_UID);
    const lease = await archive.leases.acquire('test', NOW, incarnation.cluster);
    const twin = sampleRevision(incarnation, 2, { id: 'twin', hash: hashOf(2), prunedAt: hour(3) });
    if (lease !== null) {
      const revisions = [{ revision: twin, body: null }];
      await archive.record(lease, [{ incarnation, revisions, activations: [], records: [] }], NOW);
    }
    await expect(revisionBody(context, ana, ref, '2')).rejects.toMatchObject({
      code: 'ambiguous',
      details: {
        candidates: expect.arrayContaining([expect.objectContaining({ id: 'twin', number: 2 })]) as unknown,
      },
    });
    expect(await revisionBody(context, ana, ref, 'twin')).toMatchObject({ id: 'twin' });
  });

  test('states that a template has expired, and keeps the sentence about what it changed', async () => {
    const whole = archive.revisions.unmaskedBodies.bind(archive.revisions);
    archive.revisions.unmaskedBodies = async (hashes) =>
      new Set([...(await whole(hashes))].filter((hash) => hash !== hashOf(2)));
    const { revisions } = await detail();
    expect(revisions[3]).toMatchObject({
      archived: { hasTemplate: false },
      summary: expect.any(String) as unknown,
    });
    await expect(revisionBody(context, ana, ref, '2')).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('expired') as unknown,
    });
  });

  test('lists the latest of very many, states so, and finds the others all the same', async () => {
    const incarnation = incarnationOf(WORKLOAD_UID);
    const lease = await archive.leases.acquire('test', NOW, incarnation.cluster);
    const revisions = Array.from({ length: 400 }, (_, index) => {
      const given = { id: `old-${index}`, hash: hashOf(1), numbers: [], prunedAt: hour(1) };
      return { revision: sampleRevision(incarnation, index, given), body: null };
    });
    if (lease !== null)
      await archive.record(lease, [{ incarnation, revisions, activations: [], records: [] }], NOW);
    const answer = await detail();
    expect(answer.revisions).toHaveLength(300);
    expect(answer.warnings).toEqual([expect.stringContaining('105 older revisions are not listed')]);
    expect(await revisionBody(context, ana, ref, 'old-399')).toMatchObject({ number: null });
  });

  test("hides them from a viewer who can't read the objects that carry revisions", async () => {
    cluster.answerAccess = ({ resource }) => ({ allowed: resource === 'deployments' });
    expect((await detail()).revisions).toEqual([]);
    expect((await readEarlierIncarnation('uid-before')).revisions).toEqual([]);
    for (const asked of ['1', 'uid-before-rs-1'])
      await expect(revisionBody(context, ana, ref, asked)).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('the last rollout of a row', () => {
  test('shows what its record has, once the record is of the current target', async () => {
    const marks = new LatestRecordSummaries();
    context.views = new ViewCache(cluster, context.keys.mask, () => NOW, marks);
    const row = async () =>
      (await listWorkloads(oneCluster(context, ana), workloadListQuerySchema.parse({}))).items[0];
    expect((await row())?.lastRollout?.record).toBeNull();
    await marks.refresh(archive.rollouts, 'cluster', false);
    const known = await row();
    expect(known?.lastRollout).toMatchObject({
      from: 4,
      to: 5,
      record: { outcome: 'completed', endedAt: hour(51), actor: { name: 'ann' } },
    });
    expect(await row()).toBe(known);
    expect((await detail()).workload.lastRollout).toEqual(known?.lastRollout);
    cluster.put(replicaSetOf(6, bodyOf(6), 2));
    cluster.put(deployment(bodyOf(6)));
    expect((await row())?.lastRollout).toMatchObject({ to: 6, record: null });
  });
});

describe('earlier incarnations', () => {
  test('are listed, the current one first, and read by uid from the archive alone', async () => {
    const { incarnations } = await detail();
    expect(incarnations.map(({ uid }) => uid)).toEqual([WORKLOAD_UID, 'uid-before']);
    const { revisions, incarnation } = await readEarlierIncarnation('uid-before');
    expect(incarnation).toEqual({ uid: 'uid-before', from: hour(-20), to: hour(-1) });
    expect(revisions.map(({ number, retained, target }) => [number, retained, target])).toEqual([
      [2, false, true],
      [1, false, false],
    ]);
    expect(revisions[0]?.activations).toMatchObject([{ from: hour(0), to: hour(-1), open: false }]);
    await expect(readEarlierIncarnation('uid-nobody')).rejects.toMatchObject({ code: 'not_found' });
    expect(await workloadOrIncarnation(context, ana, ref, WORKLOAD_UID)).toMatchObject({ stale: false });
  });

  test('are compared by id with each other and with the current one, numbers meaning the current one', async () => {
    const from = 'uid-before-rs-1';
    const across = await diffRevisions(context, ana, ref, { from, to: '4', yaml: false }, onlyCluster);
    expect(across).toMatchObject({
      from: { label: '1 of an earlier incarnation', revisionId: from },
      to: { label: '4', revisionId: 'uid-checkout-4' },
      summary: 'image 1.1 → 1.4; env DB_PASSWORD changed',
    });
  });

  test('remain of a workload that was deleted', async () => {
    cluster.remove(path);
    await expect(detail()).rejects.toMatchObject({
      code: 'not_found',
      details: { incarnations: [{ uid: WORKLOAD_UID }, { uid: 'uid-before' }] },
    });
    const ids = { from: 'uid-before-rs-1', to: `${WORKLOAD_UID}-rs-2` };
    const diff = await diffRevisions(context, ana, ref, { ...ids, yaml: false }, onlyCluster);
    expect(diff.summary).toContain('image 1.1 → 1.2');
    for (const gone of ['live', '2', 'pod:checkout-1'])
      await expect(
        diffRevisions(context, ana, ref, { from: gone, to: ids.to, yaml: false }, onlyCluster),
      ).rejects.toMatchObject({ code: 'not_found' });
    cluster.put(object('Deployment', { name: 'other', owner: null }));
    await expect(
      workloadOrIncarnation(context, ana, { ...ref, name: 'never-there' }, undefined),
    ).rejects.toMatchObject({ code: 'not_found', details: { name: 'never-there' } });
  });
});

describe('the track of pods', () => {
  test('names the revisions by id, oldest rollout first', async () => {
    const track = parseAnswer(podTrackSchema, await workloadTrack(context, ana, ref, {}));
    expect(track.rollouts).toHaveLength(5);
    expect(track.rollouts[3]?.samples).toEqual([
      { at: hour(40), pods: [{ revisionId: 'uid-checkout-4', pods: 2, ready: 1 }] },
    ]);
    const since = await workloadTrack(context, ana, ref, { since: hour(45) });
    expect(since.rollouts).toHaveLength(1);
    expect((await workloadTrack(context, ana, ref, { uid: 'uid-before' })).rollouts).toHaveLength(2);
    await expect(workloadTrack(context, ana, ref, { uid: 'nobody' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('without the archive', () => {
  test.each([
    ['that rejects', () => Promise.reject(new AppError('archive_unavailable', 'The disk is full.'))],
    ['that never answers', () => new Promise<never>(() => undefined)],
  ])('%s the page shows what the cluster has, and states what is missing', async (_, answer) => {
    vi.useFakeTimers();
    context.archive = intercept(archive, answer);
    const { workload, revisions, gaps, incarnations, partial } = await patiently(detail());
    expect(workload.defaultTarget).toMatchObject({
      ...{ number: 4, unproven: true },
      why: 'not proven: archive not reachable; outcome unknown',
    });
    expect(revisions.map(({ number }) => number)).toEqual([5, 4]);
    expect({ gaps, incarnations }).toEqual({ gaps: [1, 2, 3], incarnations: [] });
    expect(partial).toMatchObject([
      { resource: 'archive', reason: expect.stringContaining('cannot be read') as unknown },
    ]);
    await expect(revisionBody(context, ana, ref, '4')).resolves.toMatchObject({ number: 4 });
    await expect(patiently(revisionBody(context, ana, ref, '3'))).rejects.toMatchObject({
      code: 'archive_unavailable',
    });
  });

  test('answers the same where it is not open', async () => {
    context.archive = null;
    const { workload, partial } = await detail();
    expect(partial).toMatchObject([{ resource: 'archive' }]);
    expect(workload.defaultTarget).toMatchObject({ number: 4, unproven: true });
    await expect(readEarlierIncarnation('uid-before')).rejects.toMatchObject({ code: 'archive_unavailable' });
    await expect(revisionBody(context, ana, ref, '3')).rejects.toMatchObject({ code: 'not_found' });
  });
});
