import { beforeEach, describe, expect, test } from 'vitest';
import { followUpListSchema, reviewQueueQuerySchema, reviewQueueSchema } from '@/lib/api/review-queue';
import { reviewRequestSchema } from '@/lib/api/review';
import { reportQuerySchema } from '@/lib/api/reports';
import { defaultReviewRules } from '@/lib/records/review-rules';
import { FakeCluster } from '@/server/actions/testing/fake-cluster';
import type { ReadContext } from '@/server/views/context';
import { readReport } from '@/server/reads/report';
import { readFollowUps, readReviewQueue } from '@/server/reads/review-queue';
import { saveVerdict } from '@/server/reviews/reviews';
import { minutesAgo, recordsNowMs, sampleRecord } from '@/test/record-samples';
import { TestArchive } from '@/server/archive/testing/test-archive';
import { archiveContext, oneCluster } from '@/server/reads/testing/one-cluster';
import { viewerNamed } from '@/server/shared/testing/viewers';

const ana = viewerNamed('ana');

let archive: TestArchive;
let cluster: FakeCluster;
let context: ReadContext;

beforeEach(async () => {
  archive = await TestArchive.open();
  cluster = new FakeCluster();
  context = archiveContext(cluster, archive, recordsNowMs);
});

async function add(
  id: string,
  given: Parameters<typeof sampleRecord>[1] = {},
  namespace = 'shop',
  deletedAt: string | null = null,
): Promise<void> {
  const record = sampleRecord(id, given);
  const workload = { ...record.workload, namespace, uid: `uid-${namespace}`, ...given.workload };
  await archive.put([{ ...record, workload }], deletedAt);
}

const ask = (members: object = {}) =>
  readReviewQueue(oneCluster(context, ana), reviewQueueQuerySchema.parse(members));
const idsOf = ({ items }: { items: readonly { id: string }[] }) => items.map(({ id }) => id);
const verdict = (members: object) => reviewRequestSchema.parse({ verdict: 'good', ifVersion: 0, ...members });

describe('the queue of a review', () => {
  test('names the namespaces that have workloads, and checks others only where something waits', async () => {
    await add('r1');
    await add('r2', {}, 'gone', minutesAgo(1));
    for (let index = 0; index < 30; index += 1) {
      const namespace = `preview${index}`;
      await add(namespace, { startedAt: minutesAgo(60 * 24 * 300) }, namespace, minutesAgo(1));
      await saveVerdict(oneCluster(context, ana), `preview${index}`, verdict({}));
    }
    const asked = new Set<string | undefined>();
    cluster.answerAccess = ({ namespace }) => {
      if (namespace !== undefined) asked.add(namespace);
      return { allowed: namespace !== undefined };
    };
    expect((await ask()).namespaces).toEqual(['gone', 'shop']);
    expect([...asked].sort()).toEqual(['gone', 'shop']);
  });

  test('holds what has ended without a verdict, and what has been held for a day', async () => {
    const held = [{ kind: 'held' as const, from: minutesAgo(1_500), to: null, reason: 'partition 3' }];
    await add('ended');
    await add('held', { outcome: null, endedAt: null, spans: held });
    await add('open', { outcome: null, endedAt: null });
    await add('unwatched', { outcome: 'unknown' });
    await add('done');
    await saveVerdict(oneCluster(context, ana), 'done', verdict({}));
    const queue = await ask();
    expect(reviewQueueSchema.parse(queue)).toEqual(queue);
    expect(idsOf(queue)).toEqual(['held', 'ended']);
  });

  test('takes a verdict on a held rollout in progress, and then drops it', async () => {
    const held = [{ kind: 'held' as const, from: minutesAgo(1_500), to: null, reason: 'partition 3' }];
    await add('held', { outcome: null, endedAt: null, spans: held });
    await saveVerdict(
      oneCluster(context, ana),
      'held',
      verdict({ verdict: 'bad', comment: 'since yesterday' }),
    );
    expect(idsOf(await ask())).toEqual([]);
  });

  test('follows the rules of the operator, each of which a parameter can replace', async () => {
    context.config = {
      ...context.config,
      reviewRules: { ...defaultReviewRules, namespaces: ['shop'], only: 'failed' },
    };
    await add('fine');
    await add('failed', { outcome: 'failed' });
    await add('elsewhere', { outcome: 'failed' }, 'pay');
    expect(idsOf(await ask())).toEqual(['failed']);
    expect(idsOf(await ask({ namespace: '' }))).toEqual(['failed', 'elsewhere']);
    expect(await ask({ only: 'all' })).toMatchObject({
      items: [{ id: 'fine' }, { id: 'failed' }],
      rules: { only: 'all', namespaces: ['shop'] },
      usualRules: { only: 'failed' },
      namespaces: ['pay', 'shop'],
    });
    for (const item of (await ask({ namespace: '' })).items) expect(item).not.toHaveProperty('steps');
    await expect(ask({ age: 'soon' })).rejects.toMatchObject({ code: 'bad_request' });
  });

  test('continues with its cursor where rules and rights leave little', async () => {
    cluster.answerAccess = ({ namespace }) => ({ allowed: namespace === 'shop' });
    for (const index of [1, 2, 3, 4]) {
      await add(`vault-${index}`, {}, 'vault');
      await add(`r${index}`);
      await add(`restart-${index}`, { restart: true });
    }
    const first = await ask({ limit: 3 });
    const second = await ask({ limit: 3, cursor: first.nextCursor });
    expect([...idsOf(first), ...idsOf(second)]).toEqual(['r4', 'r3', 'r2', 'r1']);
    expect(second.nextCursor).toBeNull();
  });
});

test('follow-ups are listed by their day until a later verdict closes them', async () => {
  for (const id of ['r1', 'r2']) await add(id);
  const until = (due: string) => verdict({ verdict: 'followUp', followUp: { person: 'sara', due } });
  await saveVerdict(oneCluster(context, ana), 'r1', until('2026-09-22'));
  await saveVerdict(oneCluster(context, ana), 'r2', until('2026-09-16'));
  const list = await readFollowUps(oneCluster(context, ana), {});
  expect(followUpListSchema.parse(list)).toEqual(list);
  expect(idsOf(list)).toEqual(['r2', 'r1']);
  await saveVerdict(oneCluster(context, ana), 'r2', verdict({ ifVersion: 1 }));
  expect(idsOf(await readFollowUps(oneCluster(context, ana), {}))).toEqual(['r1']);
  cluster.answerAccess = () => ({ allowed: false });
  expect(idsOf(await readFollowUps(oneCluster(context, ana), {}))).toEqual([]);
});

test('follow-ups of the viewer are those assigned to a name of theirs, among any number of others', async () => {
  for (const id of ['r1', 'r2', 'r3']) await add(id);
  const of = (person: string) => verdict({ verdict: 'followUp', followUp: { person, due: '2026-09-22' } });
  await saveVerdict(oneCluster(context, ana), 'r1', of('sara'));
  await saveVerdict(oneCluster(context, ana), 'r2', of('Ana'));
  await saveVerdict(oneCluster(context, ana), 'r3', of('ana.ruiz'));
  const counts = { total: 3, assignedToMe: 1 };
  expect(await readFollowUps(oneCluster(context, ana), {})).toMatchObject(counts);
  const own = await readFollowUps(oneCluster(context, ana), { assignee: 'me' });
  expect([idsOf(own), own]).toMatchObject([['r2'], counts]);
  const anonymous = { ...viewerNamed('anonymous'), readOnly: 'anonymous' } as const;
  expect(await readFollowUps(oneCluster(context, anonymous), { assignee: 'me' })).toMatchObject({
    items: [],
    assignedToMe: null,
  });
});

test('a record says why the viewer can add nothing to it, before they try', async () => {
  await add('r1');
  cluster.answerAccess = ({ verb, resource }) => ({ allowed: verb === 'list' || resource === 'comments' });
  const { items } = await ask();
  expect(items[0]?.refusals).toEqual({
    reviews:
      'ana is not allowed to create reviews.shiplog.dev in namespace shop, nor to patch deployments. Request one of these permissions.',
    comments: null,
    pins: 'ana is not allowed to create pins.shiplog.dev in namespace shop, nor to patch deployments. Request one of these permissions.',
  });
  const anonymous = { ...viewerNamed('anonymous'), readOnly: 'anonymous' } as const;
  const refused = await readReviewQueue(oneCluster(context, anonymous), reviewQueueQuerySchema.parse({}));
  expect(refused.items[0]?.refusals.comments).toMatch(/^Anonymous access is read-only\./);
});

test('the queue and the follow-ups are of the connected cluster and the watched namespaces', async () => {
  await add('r1');
  await add('r2', {}, 'pay');
  await add('r3', { workload: { ...sampleRecord('r3').workload, cluster: 'other', uid: 'uid-other' } });
  const followUp = {
    verdict: 'followUp',
    by: 'ana',
    at: minutesAgo(1),
    followUp: { person: 'sara', due: '2026-09-22' },
  } as const;
  cluster.namespaces = ['shop'];
  expect(await ask()).toMatchObject({ items: [{ id: 'r1' }], namespaces: ['shop'] });
  for (const id of ['r1', 'r2', 'r3']) await archive.reviews.save(id, followUp, 0);
  expect(idsOf(await readFollowUps(oneCluster(context, ana), {}))).toEqual(['r1']);
});

test('a rollout is reverted by a later one alone, though an earlier one is known to have begun as late', async () => {
  const at = (activation: number, from: string, to: string) => ({
    activation,
    from: { number: activation - 1, id: from, hash: from },
    to: { number: activation, id: to, hash: to },
  });
  await add('r9', {
    ...at(4, 'b', 'a'),
    outcome: 'unknown',
    startedAt: null,
    startedNotAfter: minutesAgo(62),
    endedAt: null,
  });
  await add('r1', { ...at(5, 'a', 'c') });
  const report = () => readReport(oneCluster(context, ana), reportQuerySchema.parse({}));
  expect((await report()).total).toMatchObject({ rollouts: 2, reverted: 0, failedChanges: 0 });
  await add('r2', { ...at(6, 'c', 'a'), startedAt: minutesAgo(30), endedAt: minutesAgo(28) });
  await saveVerdict(oneCluster(context, ana), 'r2', verdict({}));
  expect((await report()).total).toMatchObject({ rollouts: 3, reverted: 1, failedChanges: 1 });
});

test('a report requested just before shows a verdict given meanwhile', async () => {
  await add('r1');
  const report = () => readReport(oneCluster(context, ana), reportQuerySchema.parse({}));
  expect(await report()).toMatchObject({ total: { reviewed: 0 }, trend: [{ rollouts: 1 }] });
  await saveVerdict(oneCluster(context, ana), 'r1', verdict({}));
  expect((await report()).total.reviewed).toBe(1);
});
