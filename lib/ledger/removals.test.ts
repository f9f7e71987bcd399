import fc from 'fast-check';
import { expect, test } from 'vitest';
import { emptyMemory, type Observation } from '@/lib/ledger/observation';
import { type RemovedPod, type RolloutStep } from '@/lib/ledger/record';
import { addRemoved, rememberPods, removedOf } from '@/lib/ledger/removals';
import { World } from '@/lib/ledger/testing/world';

const at = '2026-03-01T12:00:00Z';

const wave = (index: number, ready: readonly boolean[]): RolloutStep => ({
  index,
  name: `Wave ${index}`,
  kind: 'wave',
  planned: null,
  startedAt: at,
  endedAt: null,
  state: 'running',
  pods: ready.map((isReady, pod) => ({
    name: `new-${index}-${pod}`,
    uid: `new-${index}-${pod}`,
    ip: null,
    node: null,
    readyAt: isReady ? at : null,
    restarts: 0,
  })),
  removed: [],
});

const podsOf = (names: readonly number[]): RemovedPod[] =>
  names.map((name) => ({ name: `old-${name}`, uid: `old-${name}`, hash: 'a', goneAt: at }));

const added = (steps: readonly RolloutStep[], removed: readonly RemovedPod[], start: string | null) =>
  addRemoved(
    steps,
    removed,
    start,
    ({ pods }) => pods.length > 0 && pods.every(({ readyAt }) => readyAt !== null),
  );

const counts = (steps: readonly RolloutStep[]) =>
  steps.map(({ pods, removed }) => [pods.length, removed.length]);

test('each wave takes as many as it brought, and only what is over is followed by another', () => {
  expect(counts(added([], podsOf([1, 2]), null))).toEqual([[0, 2]]);
  expect(counts(added([wave(1, [true]), wave(2, [false])], podsOf([1, 2, 3]), null))).toEqual([
    [1, 1],
    [1, 2],
  ]);
  expect(counts(added([wave(1, [true])], podsOf([1, 2]), null))).toEqual([
    [1, 1],
    [0, 1],
  ]);
});

test('one that went before the rollout began does not make its first step begin earlier', () => {
  const start = '2026-03-01T12:05:00Z';
  expect(added([], podsOf([1]), start)).toMatchObject([{ startedAt: start, removed: [{ goneAt: at }] }]);
});

test('none is lost or told twice, however the looks divide them', () => {
  const waves = fc.array(fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }), { maxLength: 4 });
  const looks = fc.array(fc.array(fc.nat(), { maxLength: 3 }), { maxLength: 5 });
  fc.assert(
    fc.property(waves, looks, (given, sizes) => {
      const steps = given.map((ready, index) => wave(index + 1, ready));
      let next = 0;
      const batches = sizes.map((look) => podsOf(look.map(() => next++)));
      const seen = batches.reduce<readonly RolloutStep[]>((sum, batch) => added(sum, batch, null), steps);
      const uids = seen.flatMap(({ removed }) => removed.map(({ uid }) => uid));
      expect(uids.toSorted()).toEqual(
        batches
          .flat()
          .map(({ uid }) => uid)
          .toSorted(),
      );
      expect(counts(seen)).toEqual(counts(added(steps, batches.flat(), null)));
    }),
  );
});

const looked = (uids: readonly string[], target: string | null): Observation => {
  const seen = new World({ keepsNumbers: true, historyLimit: 10, pods: 3 }).look(at);
  return {
    ...seen,
    at,
    target: target === null ? null : { number: 1, id: target, hash: target },
    activePods: uids.map((uid) => ({ name: uid, uid, hash: 'a' })),
  };
};

test('what goes while no target is recorded is told by the rollout that begins then', () => {
  const before = { ...emptyMemory, pods: rememberPods(emptyMemory, looked(['x', 'y'], 'a'), null) };
  const pending = { ...emptyMemory, pods: rememberPods(before, looked(['y'], null), null) };
  expect(removedOf(pending, looked([], 'b'), null)).toEqual([
    { name: 'x', uid: 'x', hash: 'a', goneAt: at },
    { name: 'y', uid: 'y', hash: 'a', goneAt: at },
  ]);
  const later = { ...emptyMemory, pods: rememberPods(pending, looked([], 'b'), null) };
  expect(removedOf(later, looked([], 'b'), null)).toEqual([]);
});

test('of its own pods none makes way, and when one went that nobody watched stays open', () => {
  const before = { ...emptyMemory, pods: rememberPods(emptyMemory, looked(['x'], 'a'), null) };
  expect(removedOf(before, looked([], 'a'), null)).toEqual([]);
  expect(removedOf(before, looked([], 'b'), { from: null, to: at })).toMatchObject([{ goneAt: null }]);
});
