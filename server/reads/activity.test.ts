import { beforeEach, describe, expect, test } from 'vitest';
import { recordsNowMs } from '@/test/record-samples';
import type { Action, ArchivedAction } from '@/lib/api/action';
import { activityQuerySchema } from '@/lib/api/activity';
import { AppError } from '@/lib/errors';
import { FakeCluster } from '@/server/actions/testing/fake-cluster';
import type { ActionQuery, ActionRepository } from '@/server/archive/actions';
import { readCursor } from '@/server/archive/time-cursor';
import { sampleAction } from '@/server/archive/testing/sample-actions';
import { Keys } from '@/server/shared/keys';
import { listActivity, exportActivity } from '@/server/reads/activity';
import type { ReadContext } from '@/server/views/context';
import { oneCluster } from '@/server/reads/testing/one-cluster';

const cluster = new FakeCluster();
const startMs = recordsNowMs - 3_600_000;
const timeOf = (number: number) => new Date(startMs + number * 60_000).toISOString();

/** Latest first, as the archive returns them; every second action has a record. */
let archived: ArchivedAction[];
/** The actions that are followed. */
let latest: Action[];
let failure: AppError | undefined;
let queries: ActionQuery[];

beforeEach(() => {
  cluster.answerAccess = () => ({ allowed: true });
  archived = [];
  latest = [];
  failure = undefined;
  queries = [];
});

const listArchived: ActionRepository['list'] = (query) => {
  queries.push(query);
  const after = query.cursor == null ? undefined : readCursor(query.cursor).id;
  const start = after === undefined ? 0 : archived.findIndex(({ action }) => action.id === after) + 1;
  const items = archived.slice(start, start + query.limit).map((action) => ({ ...action, recordId: null }));
  const last = items.at(-1);
  const hasMore = start + items.length < archived.length && last !== undefined;
  const nextCursor = hasMore ? `${Date.parse(last.action.startedAt)}.${last.action.id}` : null;
  return Promise.resolve({ items, nextCursor });
};

function list(members: object = {}, read = listActivity) {
  const context = {
    cluster,
    keys: new Keys(Buffer.alloc(32, 7)),
    now: () => recordsNowMs,
    archive: { actions: { list: listArchived } },
  } as unknown as ReadContext;
  const source = {
    latest: () => latest,
    settled: () => (failure === undefined ? Promise.resolve() : Promise.reject(failure)),
  };
  return read(oneCluster(context, cluster.self), source, activityQuerySchema.parse(members));
}

const idsOf = async (members: object = {}) => (await list(members)).items.map(({ id }) => id);

function give(count: number, change: (number: number) => Partial<Action> = () => ({})): void {
  archived = Array.from({ length: count }, (_, index) => {
    const number = count - index;
    const id = `a${String(number).padStart(4, '0')}`;
    return sampleAction(number, { id, cluster: 'cluster', startedAt: timeOf(number), ...change(number) });
  });
}

describe('activity', () => {
  test('is filtered by what the viewer can read and by words, page after page, with nothing left out', async () => {
    give(700, (number) => ({
      namespace: number % 3 === 0 ? 'vault' : 'shop',
      reason: number % 7 === 0 ? 'P99 rose' : 'tried',
    }));
    cluster.answerAccess = ({ namespace }) => ({ allowed: namespace === 'shop' });
    const expected = archived
      .map(({ action }) => action)
      .filter(({ namespace, reason }) => namespace === 'shop' && reason.includes('P99'))
      .map(({ id }) => id);
    const seen: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page: Awaited<ReturnType<typeof list>> = await list({
        q: 'p99 ROLLBACK',
        limit: 30,
        ...(cursor === undefined ? {} : { cursor }),
      });
      seen.push(...page.items.map(({ id }) => id));
      expect(page.partial).toStrictEqual([]);
      cursor = page.nextCursor;
    }
    expect(seen).toStrictEqual(expected);
  });

  test('is exported with all its pages, up to a bound from which the export continues', async () => {
    give(1_200);
    const all = await list({ limit: 30 }, exportActivity);
    expect(all.items.map(({ id }) => id)).toStrictEqual(archived.map(({ action }) => action.id));
    expect(all.nextCursor).toBeNull();
    give(10_001);
    const bounded = await list({}, exportActivity);
    expect(bounded.items).toHaveLength(10_000);
    expect((await list({ cursor: bounded.nextCursor }, exportActivity)).items).toHaveLength(1);
  });

  test('a search with few matches ends a page before it takes long, and continues from there', async () => {
    give(6_000, (number) => ({ reason: number === 1 ? 'needle' : 'hay' }));
    const first = await list({ q: 'needle' });
    expect(first.items).toStrictEqual([]);
    const second = await list({ q: 'needle', cursor: first.nextCursor });
    expect(second).toMatchObject({ items: [{ id: 'a0001' }], nextCursor: null });
  });

  test('applies the other filters in the archive', async () => {
    await list({
      namespace: 'shop',
      actor: 'ann',
      action: 'pause',
      state: 'following',
      since: '1h',
      name: 'x',
    });
    expect(queries).toMatchObject([
      {
        namespace: 'shop',
        actor: 'ann',
        kinds: ['pause'],
        states: ['accepted', 'following'],
        sinceMs: recordsNowMs - 3_600_000,
        name: 'x',
      },
    ]);
    await expect(list({ cursor: 'gone' })).rejects.toMatchObject({ code: 'bad_request' });
    await expect(list({ since: 'soon' })).rejects.toMatchObject({ code: 'bad_request' });
  });

  test('shows an open action as its follower has it', async () => {
    give(2, () => ({ state: 'accepted', endedAt: null }));
    const [newest] = archived;
    latest = [{ ...(newest as ArchivedAction).action, state: 'following', message: '1 of 3 pods ready' }];
    expect((await list()).items.map(({ message }) => message)).toStrictEqual([
      '1 of 3 pods ready',
      'Every pod is ready.',
    ]);
    expect(await idsOf({ state: 'following' })).toStrictEqual(['a0002']);
    expect(await idsOf({ state: 'accepted' })).toStrictEqual(['a0001']);
    expect(await idsOf({ state: 'open' })).toStrictEqual(['a0002', 'a0001']);
    latest = latest.map((action) => ({ ...action, state: 'done' }));
    expect(await idsOf({ state: 'open' })).toStrictEqual(['a0001']);
    // Its outcome is unknown.
    latest = latest.map((action) => ({ ...action, state: 'following', endedAt: timeOf(9) }));
    expect(await idsOf({ state: 'open' })).toStrictEqual(['a0001']);
  });

  test('without the archive the file answers, filtered and in pages, and the answer states it', async () => {
    give(5, (number) => ({ actor: number === 3 ? 'ben' : 'ann', startedAt: timeOf(Math.min(number, 4)) }));
    latest = archived.map(({ action }) => action).reverse();
    failure = new AppError('archive_unavailable', 'The disk is full.');
    const first = await list({ limit: 2 });
    expect(first.items.map(({ id }) => id)).toStrictEqual(['a0005', 'a0004']);
    expect(first.partial[0]?.reason).toContain('The disk is full.');
    expect(await idsOf({ cursor: first.nextCursor })).toStrictEqual(['a0003', 'a0002', 'a0001']);
    expect(await idsOf({ actor: 'ben' })).toStrictEqual(['a0003']);
    expect(await idsOf({ since: timeOf(2), until: timeOf(4) })).toStrictEqual(['a0003', 'a0002']);
    expect(queries).toStrictEqual([]);
  });

  test('shows nothing of another cluster, from the archive or from the file', async () => {
    give(2, (number) => ({ cluster: number === 1 ? 'cluster' : 'other' }));
    latest = archived.map(({ action }) => action);
    await list();
    expect(queries).toMatchObject([{ clusters: ['cluster'] }]);
    failure = new AppError('archive_unavailable', 'The disk is full.');
    expect(await idsOf()).toStrictEqual(['a0001']);
  });

  test('never shows a credential', async () => {
    const secret = 'password=hunter2hunter2';
    archived = [
      sampleAction(
        1,
        { cluster: 'cluster', reason: secret },
        { apiMessage: secret, findings: [{ code: 'x', message: secret }] },
      ),
    ];
    expect(JSON.stringify(await list())).not.toContain('hunter2');
    expect(await idsOf({ q: 'hunter2' })).toStrictEqual([]);
  });
});
