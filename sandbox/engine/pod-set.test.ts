import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Member, moveByNumber, moveByPlace, type Moves } from '@/sandbox/engine/pod-set';

/** A pod is available from this age on. */
const READY_AT = 2;
const STEPS = 60;

interface TestPod {
  readonly place: string;
  isUpdated: boolean;
  /** In steps. */
  age: number;
  isTerminating: boolean;
}

type Plan = (members: readonly Member<TestPod>[]) => Moves<TestPod>;

/** Pods that are all available and outdated, and what becomes of them. */
class TestSet {
  pods: TestPod[];

  readonly isInPlace: boolean;

  constructor(places: readonly string[], isInPlace: boolean) {
    this.isInPlace = isInPlace;

    this.pods = places.map((place) => ({ place, isUpdated: false, age: READY_AT, isTerminating: false }));
  }

  get staying(): TestPod[] {
    return this.pods.filter(({ isTerminating }) => !isTerminating);
  }

  get available(): TestPod[] {
    return this.staying.filter(({ age }) => age >= READY_AT);
  }

  move(plan: Plan): void {
    const { create, remove, update } = plan(this.pods.map((pod) => memberOf(pod)));
    for (const pod of update) {
      if (this.isInPlace) Object.assign(pod, { isUpdated: true, age: 0 });
      else pod.isTerminating = true;
    }
    for (const pod of remove) pod.isTerminating = true;
    this.pods.push(...create.map((pod) => ({ ...pod, age: 0, isTerminating: false })));
  }

  pass(): void {
    this.pods = this.pods.filter(({ isTerminating }) => !isTerminating);
    for (const pod of this.pods) pod.age += 1;
  }
}

function memberOf(pod: TestPod): Member<TestPod> {
  const isReady = pod.age >= READY_AT;
  return { ...pod, pod, isReady, isAvailable: isReady, hasEnded: false, isNamed: false };
}

const cases = fc
  .record({
    replicas: fc.integer({ min: 1, max: 6 }),
    kept: fc.integer({ min: 0, max: 6 }),
    surge: fc.integer({ min: 0, max: 3 }),
    unavailable: fc.integer({ min: 0, max: 3 }),
    isInPlace: fc.boolean(),
    isOrdered: fc.boolean(),
  })
  .filter(({ surge, unavailable }) => surge + unavailable > 0);

describe('an update never takes more pods away than it may, never adds more, and ends where it should', () => {
  test('of a number of pods', () => {
    fc.assert(
      fc.property(cases, ({ replicas, kept, surge, unavailable, isInPlace }) => {
        const policy = { replicas, kept, surge, unavailable, isHeld: false };
        const set = new TestSet(Array<string>(replicas).fill(''), isInPlace);
        for (let step = 0; step < STEPS; step += 1, set.pass()) {
          set.move((members) =>
            moveByNumber(
              policy,
              members.filter(({ isTerminating }) => !isTerminating),
            ),
          );
          expect(set.available.length).toBeGreaterThanOrEqual(replicas - unavailable);
          expect(set.staying.length).toBeLessThanOrEqual(replicas + surge);
        }
        const updated = set.pods.filter(({ isUpdated }) => isUpdated);
        expect([set.pods.length, updated.length]).toEqual([replicas, Math.max(0, replicas - kept)]);
      }),
    );
  });

  test('of one pod at each place', () => {
    fc.assert(
      fc.property(cases, ({ replicas, kept, surge, unavailable, isInPlace, isOrdered }) => {
        const places = Array.from({ length: replicas }, (_, index) => String(index));
        const turn = places.slice(kept).reverse();
        const policy = { places, turn, isOrdered, surge, unavailable, isHeld: false };
        const set = new TestSet(places, isInPlace);
        for (let step = 0; step < STEPS; step += 1, set.pass()) {
          set.move((members) => moveByPlace(policy, members));
          expect(set.available.length).toBeGreaterThanOrEqual(replicas - unavailable);
          expect(set.staying.length).toBeLessThanOrEqual(replicas + surge);
        }
        const ends = set.pods.map(({ place, isUpdated }) => [place, isUpdated]).sort();
        expect(ends).toEqual(places.map((place) => [place, turn.includes(place)]));
      }),
    );
  });

  test('a held update changes nothing, but missing pods are created and surplus ones deleted', () => {
    const [first, second] = new TestSet(['0', '1'], false).pods.map(memberOf);
    const members = [second, first].filter((member) => member !== undefined);
    const held = { surge: 0, unavailable: 1, isHeld: true };
    const places = { places: ['1', '2'], turn: ['2', '1'], isOrdered: false };
    expect(moveByPlace({ ...held, ...places }, members)).toEqual({
      create: [{ place: '2', isUpdated: true }],
      remove: [first?.pod],
      update: [],
    });
    expect(moveByNumber({ ...held, replicas: 2, kept: 0 }, members)).toMatchObject({
      update: [],
      remove: [],
    });
    expect(moveByNumber({ ...held, replicas: 1, kept: 0 }, members)).toMatchObject({ remove: [second?.pod] });
  });
});
