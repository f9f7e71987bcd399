import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ObservedPod } from '@/lib/records/observation';
import { countPods } from '@/lib/records/step-pods';
import type { RecordedStep } from '@/lib/api/record';
import { updateSteps } from '@/lib/records/wave-steps';
import { SimulatedWorkload } from '@/lib/records/testing/simulated-workload';

test('pods that got the target in place and stayed ready are one wave that did not end before it began', () => {
  const world = new SimulatedWorkload({ keepsNumbers: true, historyLimit: 10, pods: 2 });
  const recordedAt = '2026-03-08T09:00:00Z';
  const targetPods = ['cart-a', 'cart-b'].map((name) => ({
    ...{ name, uid: name, ip: null, node: null, restarts: 1 },
    readyAt: '2026-03-01T12:00:00Z',
    createdAt: recordedAt,
  }));
  const steps = updateSteps([], { ...world.observe(''), targetPods }, [], {
    ...{ start: recordedAt, isGap: false, isFirst: false },
  });
  expect(steps).toMatchObject([
    { name: 'Wave 1', state: 'completed', startedAt: recordedAt, endedAt: recordedAt },
  ]);
  expect(steps[0]?.pods.map(({ name }) => name)).toEqual(['cart-a', 'cart-b']);
});

const START_MS = Date.parse('2026-03-08T09:00:00Z');
const at = (seconds: number) => new Date(START_MS + seconds * 1000).toISOString();
const course = { start: at(0), isGap: false, isFirst: false };

/** A pod that is created at one second and ready at another; null: not yet. */
function pod(name: string, made: number, ready: number | null, group?: ObservedPod['group']): ObservedPod {
  const readyAt = ready === null ? null : at(ready);
  const base = { name, uid: `${name} of ${made}`, ip: null, node: null, restarts: 0 };
  return { ...base, readyAt, createdAt: at(made), ...(group && { group }) };
}

const observationOf = (targetPods: ObservedPod[]) => ({
  ...new SimulatedWorkload({ keepsNumbers: true, historyLimit: 10, pods: 3 }).observe(''),
  targetPods,
});
const namesOf = (steps: readonly RecordedStep[]) =>
  steps.map(({ pods }) => pods.map(({ name }) => name).join(' '));
const stepsAfter = (pods: ObservedPod[], given = course, steps: readonly RecordedStep[] = []) =>
  updateSteps(steps, observationOf(pods), [], given);

describe('waves', () => {
  test('are split where a pod was created after one before it was ready', () => {
    expect(namesOf(stepsAfter([pod('a', 1, 4), pod('b', 2, 5), pod('c', 5, null)]))).toEqual(['a b', 'c']);
  });

  test('are one where nothing ran before, however fast its pods are ready', () => {
    const pods = [pod('a', 1, 1), pod('b', 3, 3), pod('c', 5, 5)];
    expect(namesOf(stepsAfter(pods))).toEqual(['a', 'b', 'c']);
    expect(namesOf(stepsAfter(pods, { ...course, isFirst: true }))).toEqual(['a b c']);
  });

  test('are not split by pods that are ready at once: those created within a second came together', () => {
    const births = fc.array(fc.tuple(fc.nat(1), fc.nat(3)), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(births, fc.boolean(), (made, isInPlace) => {
        const pods = made.map(([second, slow], index) => ({
          ...pod(`pod-${index}`, 5 + second, 5 + second + slow),
          ...(isInPlace && { isInPlace }),
        }));
        expect(stepsAfter(pods)).toHaveLength(1);
      }),
    );
    expect(namesOf(stepsAfter([pod('a', 1, 1), pod('b', 2, 2), pod('c', 3, 3)]))).toEqual(['a b', 'c']);
  });

  test('contain complete groups, the workers created once their leader is ready with it', () => {
    const group = (key: string) => ({ key, size: 2 });
    const leader = pod('llama-1', 1, 4, group('1'));
    const first = stepsAfter([leader]);
    expect(first).toMatchObject([{ state: 'running', endedAt: null }]);
    const worker = pod('llama-1-1', 5, 7, group('1'));
    const second = stepsAfter([leader, worker, pod('llama-0', 8, null, group('0'))], course, first);
    expect(namesOf(second)).toEqual(['llama-1 llama-1-1', 'llama-0']);
    expect(second).toMatchObject([{ state: 'completed', endedAt: at(7) }, { state: 'running' }]);
  });

  test('count a pod that is created again under its name, and list it once', () => {
    const steps = [1, 3, 5].reduce<readonly RecordedStep[]>(
      (sum, made) => stepsAfter([pod('qwen-1', made, made + 1)], course, sum),
      [],
    );
    expect(steps).toMatchObject([{ pods: [{ uid: 'qwen-1 of 5' }], more: 2 }]);
  });

  test('have each pod once, in their order, and miss none, however observations divide them', () => {
    const births = fc.array(fc.tuple(fc.nat(20), fc.nat(6)), { minLength: 1, maxLength: 12 });
    const cuts = fc.array(fc.nat(30), { maxLength: 5 });
    fc.assert(
      fc.property(births, cuts, fc.boolean(), (made, looks, isFirst) => {
        const all = made.map(([second, slow], index) => pod(`pod-${index}`, second, second + slow));
        const steps = [...looks.toSorted((a, b) => a - b), 30].reduce<readonly RecordedStep[]>((sum, now) => {
          const there = all.filter(({ createdAt }) => createdAt <= at(now));
          const known = there.map((each) =>
            (each.readyAt ?? '') <= at(now) ? each : { ...each, readyAt: null },
          );
          return stepsAfter(known, { ...course, isFirst }, sum);
        }, []);
        expect(steps.flatMap(({ pods }) => pods.map(({ uid }) => uid)).toSorted()).toEqual(
          all.map(({ uid }) => uid).toSorted(),
        );
        expect(steps.reduce((sum, step) => sum + countPods(step), 0)).toBe(all.length);
        expect(steps.map(({ index }) => index)).toEqual(steps.map((_, index) => index + 1));
        expect(namesOf(steps)).toEqual(namesOf(stepsAfter(all, { ...course, isFirst })));
        if (isFirst) expect(steps).toHaveLength(1);
      }),
    );
  });
});

describe('a partition', () => {
  const partitioned = (targetPods: ObservedPod[], partition: number, second: number) => ({
    ...observationOf(targetPods),
    partition,
    at: at(second),
  });

  test('that moves while a pod starts leaves its wave open until the pod is ready', () => {
    const starting = [pod('db-5', 1, 2), pod('db-4', 5, null)];
    const steps = stepsAfter(starting);
    const moved = updateSteps(steps, partitioned(starting, 6, 8), [], course);
    expect(moved).toMatchObject([{ state: 'completed' }, { state: 'running' }, { name: 'Partition 6' }]);
    const ready = updateSteps(moved, partitioned([pod('db-5', 1, 2), pod('db-4', 5, 9)], 6, 10), [], course);
    expect(ready).toMatchObject([{}, { name: 'Wave 2', state: 'completed', endedAt: at(9) }, {}]);
  });

  test('that moves while a pod starts ends its wave when the pod goes', () => {
    const starting = [pod('db-5', 1, 2), pod('db-4', 5, null)];
    const moved = updateSteps(stepsAfter(starting), partitioned(starting, 6, 8), [], course);
    const gone = updateSteps(moved, partitioned([pod('db-5', 1, 2)], 6, 10), [], course);
    expect(gone).toMatchObject([{}, { state: 'abandoned', endedAt: at(10) }, {}]);
  });
});
