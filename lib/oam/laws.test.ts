import fc from 'fast-check';
import { expect, test } from 'vitest';
import { batchesOf, largestBatch, unavailableOf } from '@/lib/oam/batches';
import { extentOf, isModified } from '@/lib/oam/next-move';
import { isTerminal, type Position } from '@/lib/oam/states';
import { Play } from '@/lib/oam/testing/play';
import { transitions } from '@/lib/oam/transitions';
import { type JsonObject } from '@/lib/kube/json';

const NAMES = ['a', 'b', 'c'] as const;

/** Something that happens to a rollout, or around it. */
type Act =
  | { do: 'move'; spare: number }
  | { do: 'live'; name: string; ready: number; made: number }
  | { do: 'pause'; paused: boolean }
  | { do: 'partition'; to: number | null }
  | { do: 'target'; name: string }
  | { do: 'size'; to: number }
  | { do: 'plan'; plan: JsonObject }
  | { do: 'delete' };

const amount = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constantFrom('10%', '25%', '40%'));
const batches = fc
  .array(fc.record({ replicas: amount, maxUnavailable: fc.constantFrom(0, 1, '10%') }), { maxLength: 4 })
  .map((list) => [...list, { replicas: '100%' }]);
const plan = fc.record({
  rolloutStrategy: fc.constantFrom('IncreaseFirst', 'DecreaseFirst'),
  rolloutBatches: batches,
});

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 24,
    arbitrary: fc.record({
      do: fc.constant('move' as const),
      spare: fc.oneof(fc.constant(9), fc.integer({ min: 0, max: 3 })),
    }),
  },
  {
    weight: 16,
    arbitrary: fc.record({
      do: fc.constant('live' as const),
      name: fc.constantFrom(...NAMES),
      ready: fc.integer({ min: 0, max: 4 }),
      made: fc.integer({ min: 0, max: 6 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pause' as const), paused: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('partition' as const),
      to: fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 4 })),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('target' as const), name: fc.constantFrom(...NAMES) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('size' as const), to: fc.integer({ min: 4, max: 16 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('plan' as const), plan: fc.record({ rolloutBatches: batches }) }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'delete' as const }) },
);

const story = fc.record({
  size: fc.integer({ min: 4, max: 12 }),
  plan,
  partition: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
  revertOnDelete: fc.boolean(),
  acts: fc.array(act, { minLength: 20, maxLength: 160 }),
  endsDeleted: fc.boolean(),
});

/** Watches the world from the first move on, and knows how far it may stray. */
class Watch {
  readonly #play: Play;
  readonly #isIncreasing: boolean;
  #fewest: number;
  #most: number;
  #portion = 1;
  #missing = 0;
  #position: Position | undefined;
  #batch = 0;

  constructor(play: Play, size: number, isIncreasing: boolean) {
    this.#play = play;
    this.#isIncreasing = isIncreasing;
    this.#fewest = size;
    this.#most = size;
  }

  look(): void {
    const rollout = this.#play.parsed;
    if (rollout === undefined) return;
    const { run, rolloutTargetSize, position, currentBatch } = rollout.status;
    if (run !== undefined && rolloutTargetSize >= 0) {
      const extent = extentOf(run, rolloutTargetSize);
      const all = batchesOf(rollout.plan, extent);
      this.#portion = Math.max(this.#portion, largestBatch(all, extent));
      this.#missing = Math.max(this.#missing, ...all.map((batch) => unavailableOf(batch, extent)));
      this.#most = Math.max(this.#most, rolloutTargetSize);
      // A smaller size that was asked for is one.
      this.#fewest = Math.min(this.#fewest, rolloutTargetSize);
    }
    this.#seePods();
    if (position !== undefined) this.#seePosition(position, currentBatch);
    const rolls = position?.rolling === 'rollingInBatches' || position?.rolling === 'finalising';
    if (run?.mode === 'rolling' && rolls)
      expect(this.#play.size(run.target), 'a finished batch stays').toBeGreaterThanOrEqual(
        run.finishedReplicas,
      );
  }

  #seePods(): void {
    const { workloads } = this.#play;
    const count = (of: (workload: (typeof workloads)[number]) => number) =>
      workloads.reduce((sum, workload) => sum + of(workload), 0);
    const more = this.#isIncreasing ? this.#portion : 0;
    const fewer = (this.#isIncreasing ? 0 : this.#portion) + this.#missing;
    const told = JSON.stringify([
      workloads.map(({ name, replicas, pods }) => [name, replicas, pods.replicas, pods.readyReplicas]),
      this.#play.rollout?.status,
    ]);
    expect(
      count(({ replicas }) => replicas),
      `pods asked for ${told}`,
    ).toBeLessThanOrEqual(this.#most + more);
    expect(
      count(({ pods }) => pods.replicas),
      `pods ${told}`,
    ).toBeLessThanOrEqual(this.#most + more);
    expect(
      count(({ pods }) => pods.readyReplicas),
      `ready pods ${told}`,
    ).toBeGreaterThanOrEqual(this.#fewest - fewer);
  }

  #seePosition(position: Position, batch: number): void {
    const before = this.#position;
    const isSame = before?.rolling === position.rolling && before.batch === position.batch;
    if (before !== undefined && !isSame) {
      const taken = transitions.find(
        ({ from, fromBatch, to, toBatch }) =>
          from === before.rolling &&
          (fromBatch ?? before.batch) === before.batch &&
          to === position.rolling &&
          toBatch === position.batch,
      );
      expect(taken, `${JSON.stringify(before)} → ${JSON.stringify(position)}`).toBeDefined();
      const next = taken?.effect === 'reset' ? 0 : this.#batch + (taken?.effect === 'next batch' ? 1 : 0);
      expect(batch, 'no batch is skipped').toBe(next);
    }
    this.#position = position;
    this.#batch = batch;
  }
}

function perform(play: Play, step: Act): void {
  switch (step.do) {
    case 'move':
      return play.move(step.spare);
    case 'live':
      return play.live(step.name, step.ready, step.made);
    case 'pause':
      return play.editPlan({ paused: step.paused });
    case 'partition':
      return play.editPlan({ batchPartition: step.to });
    case 'target':
      return play.editSpec({ targetRef: target(step.name) });
    case 'size':
      return play.editPlan({ targetSize: step.to });
    case 'plan':
      return play.editPlan(step.plan);
    case 'delete':
      return play.delete();
    default:
      return step satisfies never;
  }
}

function target(name: string) {
  return { apiVersion: 'apps/v1', kind: 'Deployment', name };
}

test('whatever happens to a rollout, pods stay within the band, batches come in turn, and it ends', () => {
  const ends = new Map<string, number>();
  fc.assert(
    fc.property(story, ({ size, plan: first, partition, revertOnDelete, acts, endsDeleted }) => {
      const play = new Play();
      play.deploy('a', size);
      play.deploy('b', 0, { paused: true });
      play.deploy('c', 0, { paused: true });
      play.roll({
        targetRef: target('b'),
        sourceRef: [target('a')],
        rolloutPlan: {
          ...first,
          revertOnDelete,
          ...(partition !== undefined && { batchPartition: partition }),
        },
      });
      const watch = new Watch(play, size, first.rolloutStrategy === 'IncreaseFirst');
      const look = () => {
        play.nowMs += 1_000;
        watch.look();
      };
      let isFirst = true;
      for (const step of acts) {
        perform(play, step);
        look();
        isFirst &&=
          play.status?.position?.rolling !== 'rolloutSucceed' &&
          play.status?.position?.rolling !== 'rolloutFailed';
      }
      // From here on nobody holds it up.
      play.editPlan({ paused: false, batchPartition: null });
      if (endsDeleted) play.delete();
      const isDeleting = play.rollout?.metadata.deletionTimestamp !== undefined;
      const before = play.status;
      const isOver = () => {
        const { parsed } = play;
        const rolling = parsed?.status.position?.rolling;
        return parsed !== undefined && rolling !== undefined && isTerminal(rolling) && !isModified(parsed);
      };
      play.until(
        isDeleting ? () => play.rollout === undefined : () => play.rollout === undefined || isOver(),
        look,
      );
      play.until(() => play.workloads.every(({ replicas, pods }) => pods.replicas === replicas), look);

      const end = play.rollout === undefined ? 'deleted' : (play.status?.position?.rolling ?? 'nothing');
      ends.set(end, (ends.get(end) ?? 0) + 1);
      expect(play.workloads.map(({ claim }) => claim)).toEqual([undefined, undefined, undefined]);
      if (end === 'rolloutSucceed') {
        const { run, rolloutTargetSize } = play.status ?? {};
        const others = NAMES.filter((name) => name !== run?.target);
        expect(play.size(run?.target ?? '')).toBe(rolloutTargetSize);
        if (run?.mode === 'rolling') expect(others.map((name) => play.size(name))).toEqual([0, 0]);
      }
      const wasReverted =
        isDeleting && revertOnDelete && isFirst && before?.position?.rolling !== 'rolloutSucceed';
      if (wasReverted && before?.run?.isReverted === false) {
        ends.set('reverted', (ends.get('reverted') ?? 0) + 1);
        expect(play.workloads.map(({ name, replicas, isPaused }) => [name, replicas, isPaused])).toEqual([
          ['a', size, false],
          ['b', 0, true],
          ['c', 0, true],
        ]);
      }
    }),
    { numRuns: 400 },
  );
  // Stories that all end the same way would prove little.
  for (const end of ['deleted', 'rolloutSucceed', 'rolloutFailed', 'reverted'])
    expect(ends.get(end)).toBeGreaterThan(5);
});
