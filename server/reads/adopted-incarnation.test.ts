import { beforeEach, describe, expect, test } from 'vitest';
import { workloadDetailSchema } from '@/lib/api/workloads';
import type { WorkloadIncarnation } from '@/lib/api/incarnation';
import { formatUtc } from '@/lib/format/text';
import { canonicalJson } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { at, replicaSet, template, WORKLOAD_UID } from '@/lib/workloads/testing/objects';
import { FakeCluster } from '@/server/actions/testing/fake-cluster';
import { ana, deployment, ref } from '@/server/actions/testing/shop';
import type { Archive, IncarnationRecording } from '@/server/archive/archive';
import { hashOfText } from '@/server/archive/revisions';
import {
  hour,
  sampleActivation,
  sampleIncarnation,
  sampleRecord,
  sampleRevision,
} from '@/server/archive/testing/samples';
import { TestArchive } from '@/server/archive/testing/test-archive';
import { Keys } from '@/server/shared/keys';
import type { ReadContext } from '@/server/views/context';
import { ChangeSummaries } from '@/server/views/change-summaries';
import { ViewCache } from '@/server/views/workload-view';
import { workloadOrIncarnation } from '@/server/reads/earlier-incarnation';
import { parseAnswer } from '@/test/parse-answer';

const NOW = Date.parse(at(60));

let archive: Archive;
let cluster: FakeCluster;
let context: ReadContext;

beforeEach(async () => {
  archive = await TestArchive.open();
  cluster = new FakeCluster();
  const keys = new Keys(Buffer.alloc(32, 7));
  const views = new ViewCache(cluster, keys.mask, () => NOW);
  const summaries = new ChangeSummaries(keys.mask);
  context = { cluster, keys, views, summaries, archive, config: { links: [] }, now: () => NOW };
});

const life = (uid: string, given: Partial<WorkloadIncarnation> = {}) =>
  sampleIncarnation('checkout', { cluster: 'cluster', namespace: 'shop', uid, ...given });
const refOf = (number: number, id = `uid-checkout-${number}`) => ({
  ...{ number, id, hash: hashOfText(canonicalJson(template(String(number)))) },
});

/** Completed rollouts of these revisions, or, for the present incarnation, what it adopted. */
async function record(incarnation: WorkloadIncarnation, numbers: readonly number[], isAdopted = false) {
  const last = numbers.at(-1) ?? 0;
  const activations = isAdopted
    ? [
        sampleActivation(incarnation, 1, {
          revision: refOf(last),
          from: null,
          fromNotAfter: null,
          to: null,
          adopted: true,
        }),
      ]
    : numbers.map((number) =>
        sampleActivation(incarnation, number, {
          ...{ revision: refOf(number), from: hour(number * 10) },
          to: number === last ? incarnation.deletedAt : hour(number * 10 + 10),
        }),
      );
  const records = isAdopted
    ? []
    : numbers.map((number) =>
        sampleRecord(incarnation, number, {
          ...{
            from: number === 1 ? null : refOf(number - 1),
            to: refOf(number),
            outcome: 'completed' as const,
          },
          ...{ startedAt: hour(number * 10), endedAt: hour(number * 10 + 1) },
        }),
      );
  const revisions = numbers.map((number) => ({
    revision: sampleRevision(incarnation, number, {
      ...refOf(number),
      name: `checkout-${number}`,
      prunedAt: null,
    }),
    body: template(String(number)),
  }));
  await write({ incarnation, revisions, activations, records });
}

async function write(recording: IncarnationRecording): Promise<void> {
  const lease = await archive.leases.acquire('test', NOW, 'cluster');
  if (lease === null) throw new Error('no lease');
  await archive.record(lease, [recording], NOW);
}

/** Created at noon; the revisions are older. */
function show(revisions: readonly KubeObject[], image: string): void {
  for (const revision of revisions) cluster.put(revision);
  cluster.put(deployment(template(image)));
}

const older = (number: number, replicas = 0) =>
  replicaSet(number, String(number), { name: `checkout-${number}`, created: -60 + number, replicas });

async function detail() {
  return parseAnswer(workloadDetailSchema, await workloadOrIncarnation(context, ana, ref, undefined));
}

describe('a workload that adopted the revisions of an earlier one', () => {
  test('shows what the records of that one prove, and by whom the revisions were left', async () => {
    show([older(1), older(2, 2)], '2');
    await record(life('uid-before', { createdAt: hour(0), deletedAt: hour(30) }), [1, 2]);
    await record(life(WORKLOAD_UID, { createdAt: at(0) }), [1, 2], true);
    const { revisions, workload } = await detail();
    expect(workload.lastRollout).toBeNull();
    expect(workload.defaultTarget).toMatchObject({
      number: 1,
      why: expect.stringMatching(/^completed/) as string,
    });
    expect(revisions.map(({ number, explanation }) => `${number} ${explanation}`)).toEqual([
      expect.stringMatching(/^2 Adopted from an earlier Deployment of this name \(deleted .* UTC\)\.$/),
      expect.stringMatching(/^1 Adopted from an earlier Deployment/),
    ]);
    expect(revisions.flatMap(({ activations }) => activations.map(({ record }) => record?.outcome))).toEqual([
      'completed',
      'completed',
    ]);
  });

  test('shows the same where only records prove that it did: the earlier one existed for a second', async () => {
    const asOld = [older(1), older(2, 2)];
    for (const { metadata } of asOld)
      metadata.creationTimestamp = new Date(Date.parse(at(0)) - 1_000).toISOString();
    show(asOld, '2');
    await record(life('uid-before', { createdAt: hour(0), deletedAt: hour(30) }), [1, 2]);
    await record(life(WORKLOAD_UID, { createdAt: at(0) }), [1, 2], true);
    const { revisions, workload } = await detail();
    expect(workload.defaultTarget).toMatchObject({
      number: 1,
      why: expect.stringMatching(/^completed/) as string,
    });
    expect(revisions.flatMap(({ activations }) => activations.map(({ record }) => record?.outcome))).toEqual([
      'completed',
      'completed',
    ]);
  });

  test.each([
    ['with the time', 'renumbered to 3 by a rollback at 2026-08-01 12:05:00 UTC', at(5), null],
    [
      'with the owner',
      'put back as 3 by argocd-controller at 2026-08-01 12:05:00 UTC',
      at(5),
      'argocd-controller',
    ],
    ['with a bound', 'renumbered to 3 by a rollback at 2026-08-01 12:05:00 UTC or earlier', null, null],
  ])('tells of one that was activated again when and by whom: %s', async (_, again, from, manager) => {
    show(
      [older(2), replicaSet(3, '1', { name: 'checkout-1', created: -59, replicas: 2, history: '1' })],
      '1',
    );
    await record(life('uid-before', { createdAt: hour(0), deletedAt: hour(30) }), [1, 2]);
    const here = life(WORKLOAD_UID, { createdAt: at(0) });
    await record(here, [1, 2], true);
    const revision = refOf(3, 'uid-checkout-1');
    const to = { ...revision, hash: refOf(1).hash };
    const activation = sampleActivation(here, 2, {
      revision: to,
      from,
      fromNotAfter: from === null ? at(5) : null,
    });
    const actor = manager === null ? null : { name: manager, source: 'managedFields' as const, manager };
    const rollout = sampleRecord(here, 2, { from: refOf(2), to, startedAt: from, actor });
    await write({ incarnation: here, revisions: [], activations: [activation], records: [rollout] });
    const [first, second] = (await detail()).revisions;
    expect(first?.explanation).toMatch(
      new RegExp(
        `^Formerly revision 1; ${again}\\. Adopted from an earlier Deployment of this name \\(deleted`,
      ),
    );
    expect(second?.explanation).toMatch(/^Adopted from/);
  });

  test('without records is told from the cluster alone, and no rollout is told', async () => {
    show([older(1), older(2, 2)], '2');
    const { revisions, workload } = await detail();
    expect(workload.lastRollout).toBeNull();
    expect(new Set(revisions.map(({ explanation }) => explanation))).toEqual(
      new Set(['Older than the Owner: adopted, or restored from a backup.']),
    );
  });
});

const again = replicaSet(3, '1', { name: 'checkout-1', created: 1, history: '1', replicas: 2 });

test('a template that an owner wrote again was put back by it, and not by a rollback', async () => {
  const writes = [
    {
      manager: 'argocd-controller',
      operation: 'Apply',
      time: at(30),
      fieldsV1: { 'f:spec': { 'f:template': {} } },
    },
  ];
  show([again, replicaSet(2, '2', { created: 2 })], '1');
  const target = deployment(template('1'));
  cluster.put({ ...target, metadata: { ...target.metadata, managedFields: writes } });
  expect((await detail()).revisions[0]?.explanation).toMatch(
    /^Formerly revision 1; put back as 3 by argocd-controller /,
  );
});

/** A rollout to revision 1 as number 3; the cluster has the revision still, or has pruned it. */
async function recordReturn(manager: string, prunedAt: string | null) {
  const incarnation = life(WORKLOAD_UID, { createdAt: at(0) });
  const lease = await archive.leases.acquire('test', NOW, 'cluster');
  if (lease === null) throw new Error('no lease');
  const to = { ...refOf(1), number: 3 };
  const activations = [sampleActivation(incarnation, 1, { revision: to, from: at(40), to: null })];
  const actor = { name: manager, source: 'managedFields' as const, manager };
  const records = [sampleRecord(incarnation, 1, { to, actor, startedAt: at(40) })];
  const revision = sampleRevision(incarnation, 1, { ...refOf(1), numbers: [1, 3], prunedAt });
  const revisions = [{ revision, body: template('1') }];
  await archive.record(lease, [{ incarnation, revisions, activations, records }], NOW);
}

test.each([
  ['a rollback', 'kubectl-edit', 'renumbered to 3 by a rollback'],
  ['an owner', 'argocd-controller', 'put back as 3 by argocd-controller'],
])('the record of %s proves its time and its author', async (_, manager, text) => {
  show([again, replicaSet(2, '2', { created: 2 })], '1');
  await recordReturn(manager, null);
  expect((await detail()).revisions[0]?.explanation).toBe(
    `Formerly revision 1; ${text} at ${formatUtc(at(40))}.`,
  );
});

test('the record of an owner proves it for a revision that only the archive has', async () => {
  show([replicaSet(4, '4', { created: 50, replicas: 2 })], '4');
  await recordReturn('argocd-controller', at(50));
  expect((await detail()).revisions.map(({ explanation }) => explanation)).toEqual([
    null,
    'Formerly revision 1; put back as 3 by argocd-controller.',
  ]);
});
