import { beforeEach, expect, test } from 'vitest';
import {
  activityEventsQuerySchema,
  type ClusterEntryChange,
  type EventEntry,
  type SignInEntry,
} from '@/lib/api/activity-event';
import { FakeCluster } from '@/server/actions/testing/fake-cluster';
import { sampleReview } from '@/server/archive/testing/sample-actions';
import { TestArchive } from '@/server/archive/testing/test-archive';
import { AppError } from '@/lib/errors';
import { personAs } from '@/server/identity/testing/fixed-identity';
import { listActivityEvents } from '@/server/reads/activity-events';
import { knownIdOf } from '@/server/views/connected-cluster';
import { allowed, type Right } from '@/server/views/rights';
import { archiveContext, oneCluster } from '@/server/reads/testing/one-cluster';
import type { PersonFacts } from '@/server/shared/viewer';
import { viewerNamed } from '@/server/shared/testing/viewers';

const ana = viewerNamed('ana');
let cluster: FakeCluster;
let archive: TestArchive;

beforeEach(async () => {
  cluster = new FakeCluster();
  archive = await TestArchive.open();
});

/** Lines of the audit file, one a second. */
async function wrote(...entries: readonly EventEntry[]): Promise<void> {
  const events = entries.map((entry, index) => ({
    id: `line-${index}`,
    entry: { ...entry, at: second(index) },
  }));
  await archive.actions.saveJournal({ id: 'file', bytes: 1, damaged: 0, mark: '', actions: [], events });
}

const second = (index: number) => new Date(Date.UTC(2026, 7, 1, 12, 0, index)).toISOString();

function review(record: string, code: string | null = null, workload: object = {}): EventEntry {
  return {
    ...sampleReview,
    record,
    code,
    workload: { ...sampleReview.workload, cluster: knownIdOf(cluster) ?? '', ...workload },
  };
}

const signIn = (person: PersonFacts): SignInEntry => ({
  ...{ at: second(0), event: 'signIn', reason: null },
  by: { id: person.id, name: person.name },
  sender: { address: '10.0.0.7', issuer: null, subject: null, session: null, forwardedFor: null },
});

const clusterChange = (change: Partial<ClusterEntryChange>): ClusterEntryChange => ({
  at: second(0),
  event: 'clusterAccepted',
  by: { id: 'ben', name: 'ben' },
  cluster: knownIdOf(cluster) ?? '',
  entry: 'prod',
  address: null,
  before: { address: null, id: 'uid-0', entry: 'dev' },
  code: null,
  sender: null,
  origin: null,
  idempotencyKey: null,
  ...change,
});

const noRight: Right = { state: 'denied', why: 'No role allows it.' };

/** What the viewer sees on each page. */
async function pages(limit: number, ofEveryone = false): Promise<string[][]> {
  const context = archiveContext(cluster, archive);
  const fleet = {
    ...oneCluster(context, ana),
    rightToSignIns: () => Promise.resolve(ofEveryone ? allowed : noRight),
  };
  const found: string[][] = [];
  let cursor: string | undefined;
  do {
    const query = activityEventsQuerySchema.parse({ limit, cursor });
    const answer = await listActivityEvents(fleet, () => Promise.resolve(), query);
    found.push(
      answer.items.map(({ event, record, by, code }) =>
        [event, record ?? by, code].filter(Boolean).join(' '),
      ),
    );
    cursor = answer.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return found;
}

test('tells a review that failed once, as failed, wherever a page ends', async () => {
  await wrote(review('r1'), review('r2'), review('r2', 'unavailable'), review('r3'));
  for (const limit of [1, 2, 3, 4])
    expect((await pages(limit)).flat()).toEqual(['pin r3', 'pin r2 unavailable', 'pin r1']);
});

test('tells a review that is repeated after a failure, and then done, as both', async () => {
  await wrote(review('r1'), review('r1', 'unavailable'), review('r1'));
  expect(await pages(10)).toEqual([['pin r1', 'pin r1 unavailable']]);
});

test('tells only reviews of workloads that the viewer can see', async () => {
  cluster.answerAccess = ({ namespace }) => ({ allowed: namespace === 'shop' });
  await wrote(review('r1'), review('r2', null, { namespace: 'vault' }), review('r3'));
  expect(await pages(1)).toEqual([['pin r3'], ['pin r1']]);
});

test('tells a viewer their own sign-ins, and those of everyone to a viewer who may list them', async () => {
  await wrote(signIn(personAs(ana)), signIn(personAs(viewerNamed('ben'))));
  expect(await pages(10)).toEqual([['signIn ana']]);
  expect(await pages(10, true)).toEqual([['signIn ben', 'signIn ana']]);
});

test('tells everyone what has changed about the clusters that they see, a claim that failed once', async () => {
  const moved = { event: 'clusterMoved' as const, by: null, address: 'https://new' };
  await wrote(
    clusterChange({}),
    clusterChange({}),
    clusterChange({ code: 'conflict' }),
    clusterChange({ ...moved, before: { address: 'https://old', id: null, entry: null } }),
    clusterChange({ cluster: 'unknown' }),
  );
  expect(await pages(10)).toEqual([['clusterMoved', 'clusterAccepted ben conflict', 'clusterAccepted ben']]);
  const context = archiveContext(cluster, archive);
  const query = activityEventsQuerySchema.parse({ kind: 'cluster' });
  const { items } = await listActivityEvents(oneCluster(context, ana), () => Promise.resolve(), query);
  const id = knownIdOf(cluster) ?? '';
  expect(items.map(({ reason }) => String(reason))).toEqual([
    `prod (${id}) moved from https://old to https://new.`,
    `prod is the cluster ${id}, which belonged to dev. It was uid-0 before.`,
    `prod is the cluster ${id}, which belonged to dev. It was uid-0 before.`,
  ]);
});

test('says so where it is unknown whether the viewer may see the sign-ins of others', async () => {
  await wrote(signIn(personAs(viewerNamed('ben'))));
  const context = archiveContext(cluster, archive);
  const error = new AppError('cluster_unreachable', 'No route to host.');
  const rightToSignIns = (): Promise<Right> => Promise.resolve({ state: 'unknown', error });
  const fleet = { ...oneCluster(context, ana), rightToSignIns };
  const query = activityEventsQuerySchema.parse({});
  const answer = await listActivityEvents(fleet, () => Promise.resolve(), query);
  expect(answer).toMatchObject({ items: [], ofEveryone: false });
  expect(answer.partial.map(({ reason }) => reason).join()).toContain('No route to host.');
});
