import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ObservedPod } from '@/lib/ledger/observation';
import { countPods } from '@/lib/ledger/pod-list';
import { type RolloutStep } from '@/lib/ledger/record';
import { addToSteps } from '@/lib/ledger/steps';
import { World } from '@/lib/ledger/testing/world';

test('pods that took the target in place, ready all the while, are one wave that did not end before it began', () => {
  const world = new World({ keepsNumbers: true, historyLimit: 10, pods: 2 });
  const recordedAt = '2026-03-08T09:00:00Z';
  const targetPods = ['cart-a', 'cart-b'].map((name) => ({
    ...{ name, uid: name, ip: null, node: null, restarts: 1 },
    readyAt: '2026-03-01T12:00:00Z',
    createdAt: recordedAt,
  }));
  const steps = addToSteps([], { ...world.look(''), targetPods }, [], {
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

/** A pod that is made at a second and ready at another; null: not yet. */
function pod(name: string, made: number, ready: number | null, group?: ObservedPod['group']): ObservedPod {
  const readyAt = ready === null ? null : at(ready);
  const base = { name, uid: `${name} of ${made}`, ip: null, node: null, restarts: 0 };
  return { ...base, readyAt, createdAt: at(made), ...(group && { group }) };
}

const look = (targetPods: ObservedPod[]) => ({
  ...new World({ keepsNumbers: true, historyLimit: 10, pods: 3 }).look(''),
  targetPods,
});
const namesOf = (steps: readonly RolloutStep[]) =>
  steps.map(({ pods }) => pods.map(({ name }) => name).join(' '));
const seen = (pods: ObservedPod[], given = course, steps: readonly RolloutStep[] = []) =>
  addToSteps(steps, look(pods), [], given);

describe('waves', () => {
  test('are cut where a pod was made after one before it was ready', () => {
    expect(namesOf(seen([pod('a', 1, 4), pod('b', 2, 5), pod('c', 5, null)]))).toEqual(['a b', 'c']);
  });

  test('are one where nothing ran before, however fast its pods are ready', () => {
    const pods = [pod('a', 1, 1), pod('b', 3, 3), pod('c', 5, 5)];
    expect(namesOf(seen(pods))).toEqual(['a', 'b', 'c']);
    expect(namesOf(seen(pods, { ...course, isFirst: true }))).toEqual(['a b c']);
  });

  test('are not cut by pods that are ready at once: those made within a second came together', () => {
    const births = fc.array(fc.tuple(fc.nat(1), fc.nat(3)), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(births, fc.boolean(), (made, isInPlace) => {
        const pods = made.map(([second, slow], index) => ({
          ...pod(`pod-${index}`, 5 + second, 5 + second + slow),
          ...(isInPlace && { isInPlace }),
        }));
        expect(seen(pods)).toHaveLength(1);
      }),
    );
    expect(namesOf(seen([pod('a', 1, 1), pod('b', 2, 2), pod('c', 3, 3)]))).toEqual(['a b', 'c']);
  });

  test('hold whole groups, the workers that are made once their leader is ready with it', () => {
    const group = (key: string) => ({ key, size: 2 });
    const leader = pod('llama-1', 1, 4, group('1'));
    const first = seen([leader]);
    expect(first).toMatchObject([{ state: 'running', endedAt: null }]);
    const worker = pod('llama-1-1', 5, 7, group('1'));
    const second = seen([leader, worker, pod('llama-0', 8, null, group('0'))], course, first);
    expect(namesOf(second)).toEqual(['llama-1 llama-1-1', 'llama-0']);
    expect(second).toMatchObject([{ state: 'completed', endedAt: at(7) }, { state: 'running' }]);
  });

  test('count a pod that is made again under its name, and list it once', () => {
    const steps = [1, 3, 5].reduce<readonly RolloutStep[]>(
      (sum, made) => seen([pod('qwen-1', made, made + 1)], course, sum),
      [],
    );
    expect(steps).toMatchObject([{ pods: [{ uid: 'qwen-1 of 5' }], more: 2 }]);
  });

  test('have each pod once, in their order, and lose none, however the looks divide them', () => {
    const births = fc.array(fc.tuple(fc.nat(20), fc.nat(6)), { minLength: 1, maxLength: 12 });
    const cuts = fc.array(fc.nat(30), { maxLength: 5 });
    fc.assert(
      fc.property(births, cuts, fc.boolean(), (made, looks, isFirst) => {
        const all = made.map(([second, slow], index) => pod(`pod-${index}`, second, second + slow));
        const steps = [...looks.toSorted((a, b) => a - b), 30].reduce<readonly RolloutStep[]>((sum, now) => {
          const there = all.filter(({ createdAt }) => createdAt <= at(now));
          const known = there.map((each) =>
            (each.readyAt ?? '') <= at(now) ? each : { ...each, readyAt: null },
          );
          return seen(known, { ...course, isFirst }, sum);
        }, []);
        expect(steps.flatMap(({ pods }) => pods.map(({ uid }) => uid)).toSorted()).toEqual(
          all.map(({ uid }) => uid).toSorted(),
        );
        expect(steps.reduce((sum, step) => sum + countPods(step), 0)).toBe(all.length);
        expect(steps.map(({ index }) => index)).toEqual(steps.map((_, index) => index + 1));
        expect(namesOf(steps)).toEqual(namesOf(seen(all, { ...course, isFirst })));
        if (isFirst) expect(steps).toHaveLength(1);
      }),
    );
  });
});
