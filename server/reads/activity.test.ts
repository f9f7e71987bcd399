import { describe, expect, test } from 'vitest';
import { ledgerNowMs } from '@/test/ledger';
import { type Action } from '@/lib/api/actions';
import { activityQuerySchema } from '@/lib/api/activity';
import { FakeCluster } from '@/server/actions/testing/fake-cluster';
import { Keys } from '@/server/keys';
import { listActivity } from '@/server/reads/activity';
import { type ReadContext } from '@/server/reads/context';

const cluster = new FakeCluster();
const context = {
  cluster,
  keys: new Keys(Buffer.alloc(32, 7)),
  now: () => ledgerNowMs,
} as unknown as ReadContext;

function action(id: string, given: Partial<Action> = {}): Action {
  return {
    id,
    cluster: 'cluster',
    action: 'rollback',
    resource: 'deployments.apps',
    namespace: 'shop',
    name: 'cart',
    uid: 'uid',
    actor: 'ana',
    reason: 'p99 rose',
    from: 5,
    to: 4,
    fromId: null,
    toId: null,
    toOrigin: null,
    toHash: null,
    state: 'done',
    startedAt: '2026-09-17T12:00:00Z',
    endedAt: null,
    message: '3 of 3 pods ready',
    recordedAs: null,
    progress: null,
    ...given,
  };
}

const list = (actions: Action[], members: object = {}) =>
  listActivity(context, cluster.self, actions, activityQuerySchema.parse(members));

describe('activity', () => {
  test('is filtered by what the viewer may read, by state and by words', async () => {
    cluster.answerAccess = ({ namespace }) => ({ allowed: namespace === 'shop' });
    const actions = [
      action('a'),
      action('b', { namespace: 'vault' }),
      action('c', { state: 'refused', message: 'paused' }),
    ];
    expect((await list(actions)).items.map(({ id }) => id)).toEqual(['a', 'c']);
    expect((await list(actions, { state: 'refused' })).items.map(({ id }) => id)).toEqual(['c']);
    expect((await list(actions, { q: 'P99 ready' })).items.map(({ id }) => id)).toEqual(['a']);
  });

  test('repeats nothing when newer actions came between two pages', async () => {
    const actions = [action('c'), action('b'), action('a')];
    const first = await list(actions, { limit: 2 });
    expect(first.nextCursor).toBe('b');
    const second = await list([action('d'), ...actions], { limit: 2, cursor: first.nextCursor });
    expect(second).toMatchObject({ items: [{ id: 'a' }], nextCursor: null });
    await expect(list(actions, { cursor: 'gone' })).rejects.toMatchObject({ code: 'bad_request' });
  });

  test('never shows a credential', async () => {
    const { items } = await list([action('a', { reason: 'password=hunter2hunter2' })]);
    expect(items[0]?.reason).not.toContain('hunter2');
  });
});
