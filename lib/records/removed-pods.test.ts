import fc from 'fast-check';
import { expect, test } from 'vitest';
import { emptyMemory, type Observation } from '@/lib/records/observation';
import { type RemovedPod, type RecordedStep } from '@/lib/api/record';
import { assignRemovedPods, podsToRemember, findRemovedPods } from '@/lib/records/removed-pods';
import { SimulatedWorkload } from '@/lib/records/testing/simulated-workload';

const at = '2026-03-01T12:00:00Z';

const wave = (index: number, ready: readonly boolean[]): RecordedStep => ({
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

const added = (steps: readonly RecordedStep[], removed: readonly RemovedPod[], start: string | null) =>
  assignRemovedPods(
    steps,
    removed,
    start,
    ({ pods }) => pods.length > 0 && pods.every(({ readyAt }) => readyAt !== null),
  );

const counts = (steps: readonly RecordedStep[]) =>
  steps.map(({ pods, removed }) => [pods.length, removed.length]);

test('each wave gets as many removed pods as it created, and only a finished wave is followed by another', () => {
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

test('a pod that went before the rollout began does not move the start of its first step', () => {
  const start = '2026-03-01T12:05:00Z';
  expect(added([], podsOf([1]), start)).toMatchObject([{ startedAt: start, removed: [{ goneAt: at }] }]);
});

test('none is missing or listed twice, however observations divide them', () => {
  const waves = fc.array(fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }), { maxLength: 4 });
  const looks = fc.array(fc.array(fc.nat(), { maxLength: 3 }), { maxLength: 5 });
  fc.assert(
    fc.property(waves, looks, (given, sizes) => {
      const steps = given.map((ready, index) => wave(index + 1, ready));
      let next = 0;
      const batches = sizes.map((look) => podsOf(look.map(() => next++)));
      const seen = batches.reduce<readonly RecordedStep[]>((sum, batch) => added(sum, batch, null), steps);
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

const observationOf = (uids: readonly string[], target: string | null): Observation => {
  const seen = new SimulatedWorkload({ keepsNumbers: true, historyLimit: 10, pods: 3 }).observe(at);
  return {
    ...seen,
    at,
    target: target === null ? null : { number: 1, id: target, hash: target },
    activePods: uids.map((uid) => ({ name: uid, uid, hash: 'a' })),
  };
};

test('pods that go while no target is recorded are listed by the rollout that begins then', () => {
  const before = { ...emptyMemory, pods: podsToRemember(emptyMemory, observationOf(['x', 'y'], 'a'), null) };
  const pending = { ...emptyMemory, pods: podsToRemember(before, observationOf(['y'], null), null) };
  expect(findRemovedPods(pending, observationOf([], 'b'), null)).toEqual([
    { name: 'x', uid: 'x', hash: 'a', goneAt: at },
    { name: 'y', uid: 'y', hash: 'a', goneAt: at },
  ]);
  const later = { ...emptyMemory, pods: podsToRemember(pending, observationOf([], 'b'), null) };
  expect(findRemovedPods(later, observationOf([], 'b'), null)).toEqual([]);
});

test('none of its own pods is listed, and an unobserved removal has no time', () => {
  const before = { ...emptyMemory, pods: podsToRemember(emptyMemory, observationOf(['x'], 'a'), null) };
  expect(findRemovedPods(before, observationOf([], 'a'), null)).toEqual([]);
  expect(findRemovedPods(before, observationOf([], 'b'), { from: null, to: at })).toMatchObject([
    { goneAt: null },
  ]);
});
