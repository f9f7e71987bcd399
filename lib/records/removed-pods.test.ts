import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emptyMemory, type KnownPod, type Observation } from '@/lib/records/observation';
import type { RecordedStep } from '@/lib/api/record';
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

const podsOf = (names: readonly number[]): KnownPod[] =>
  names.map((name) => ({ name: `old-${name}`, uid: `old-${name}`, hash: 'a', goneAt: at }));

const added = (steps: readonly RecordedStep[], removed: readonly KnownPod[], start: string | null) =>
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

describe('pods that are replaced under their names', () => {
  const waveOf = (
    index: number,
    pods: readonly string[],
    isReady: boolean,
    group?: string,
  ): RecordedStep => ({
    ...wave(index, []),
    pods: pods.map((name) => ({
      ...{ name, uid: `new ${name}`, ip: null, node: null, readyAt: isReady ? at : null, restarts: 0 },
      ...(group !== undefined && { group }),
    })),
  });
  const gone = (name: string, group?: string): KnownPod => ({
    ...{ name, uid: `old ${name}`, hash: 'a', goneAt: at },
    ...(group !== undefined && { group }),
  });
  const names = (steps: readonly RecordedStep[]) =>
    steps.map(({ removed }) => removed.map(({ name }) => name).join(' '));

  test('are listed by the waves of their groups, whatever the sizes of these and the order of the pods', () => {
    const one = waveOf(1, ['llm-1', 'llm-1-1', 'llm-1-2'], true, '1');
    const zero = waveOf(2, ['llm-0', 'llm-0-1', 'llm-0-2'], false, '0');
    const [first, second] = ['1', '0'].map((key) => [gone(`llm-${key}`, key), gone(`llm-${key}-1`, key)]);
    const replaced = ['llm-1 llm-1-1', 'llm-0 llm-0-1'];
    const before = added([one], first ?? [], null);
    expect(names(added(before, second ?? [], null))).toEqual(replaced);
    expect(names(added([one, zero], [...(second ?? []), ...(first ?? [])], null))).toEqual(replaced);
    const larger = ['1', '0'].map((key) => gone(`llm-${key}-3`, key));
    const shrunk = added([one, zero], larger, null);
    expect(names(shrunk)).toEqual(['llm-1-3', 'llm-0-3']);
    expect(shrunk[0]?.removed).toEqual([{ name: 'llm-1-3', uid: 'old llm-1-3', hash: 'a', goneAt: at }]);
  });

  test('are listed by the waves of their successors, even where one of these was created again', () => {
    const [two, one] = [waveOf(1, ['db-2'], true), waveOf(2, ['db-1'], false)];
    expect(names(added([two, one], [gone('db-1'), gone('db-2')], null))).toEqual(['db-2', 'db-1']);
    const again = added([{ ...two, more: 1 }], [gone('db-2')], null);
    expect(names(added(again, [gone('db-1')], null))).toEqual(['db-2', 'db-1']);
  });
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
