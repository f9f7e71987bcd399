import fc from 'fast-check';
import { expect, test } from 'vitest';
import { batchesOf, largestBatch, unavailableOf } from '@/lib/oam/batches';
import { extentOf } from '@/lib/oam/next-move';
import { type Rollout } from '@/lib/oam/rollout';
import { type Act, anyActs, harmlessActs, Performer, plan, spelledOut } from '@/lib/oam/testing/acts';
import { Play } from '@/lib/oam/testing/play';
import { promiseOf } from '@/lib/oam/testing/promise';
import { isAtRest, isOver, type Scene, Watch } from '@/lib/oam/testing/watch';
import { type JsonObject } from '@/lib/kube/json';
import { textAt, valueAt } from '@/lib/workloads/read';

const RUNS = 400;
const NAMES = ['a', 'b', 'c'] as const;

/** Three Deployments, of which the first has pods. */
class Deployments implements Scene {
  readonly play = new Play();
  /** Asks for another target only while it is known what to come from. */
  isKind = false;
  readonly #performer = new Performer(this.play);
  readonly #isIncreasing: boolean;
  #fewest: number;
  #most: number;
  #portion = 1;
  #missing = 0;
  #atRevert: { readonly asked: number; readonly ready: number } | undefined;

  /** With a target size there is no other Deployment to roll to. */
  constructor(size: number, rolloutPlan: JsonObject, targetSize?: number) {
    this.#isIncreasing = textAt(rolloutPlan, 'rolloutStrategy') === 'IncreaseFirst';
    this.#fewest = size;
    this.#most = size;
    this.play.deploy('a', size);
    this.play.deploy('b', 0, { paused: true });
    this.play.deploy('c', 0, { paused: true });
    const pair = { targetRef: target('b'), sourceRef: [target('a')], rolloutPlan };
    const alone = {
      ...pair,
      targetRef: target('a'),
      rolloutPlan: { ...rolloutPlan, targetSize: targetSize ?? null },
    };
    this.play.roll(targetSize === undefined ? pair : alone);
  }

  asked({ status }: Rollout): number {
    return this.play.size(status.run?.target ?? '');
  }

  others({ status }: Rollout): number {
    const names = NAMES.filter((name) => name !== status.run?.target);
    return names.reduce((sum, name) => sum + this.play.size(name), 0);
  }

  ready({ status }: Rollout): number {
    return this.play.workloads.find(({ name }) => name === status.run?.target)?.pods.readyReplicas ?? 0;
  }

  remember(): void {
    // Pods of a Deployment are as good as each other: that there are as many is all.
  }

  recall(): void {
    this.remember();
  }

  forget(): void {
    this.remember();
  }

  perform(act: Exclude<Act, { do: 'run' }>): void {
    const before = this.#specs.map(({ spec }) => spec);
    if (act.do === 'live') this.play.live(NAMES[act.which] ?? 'a', act.ready, act.made);
    else if (act.do === 'target') this.#aim(NAMES[act.which] ?? 'a');
    else if (act.do !== 'move') this.#performer.perform(act);
    else {
      const mayWrite = !isAtRest(this.play);
      this.#performer.perform(act);
      const after = this.#specs.map(({ spec }) => spec);
      if (!mayWrite) expect(after, 'nothing moves while it rests').toEqual(before);
    }
  }

  #aim(name: string): void {
    const { lastTarget, rolloutOriginalSize = -1 } = this.play.status ?? {};
    const isKnown = lastTarget !== undefined && rolloutOriginalSize >= 0;
    if (isKnown || !this.isKind) this.play.editSpec({ targetRef: target(name) });
  }

  relent(): void {
    this.#performer.relent();
  }

  /** Everything that a revert has to bring back. */
  get #specs() {
    return [...this.play.objects.values()].map(({ metadata, spec }) => ({
      labels: { ...metadata.labels },
      annotations: { ...metadata.annotations },
      spec,
    }));
  }

  /** That of a source that was not paused says so or says nothing. */
  get whole() {
    return this.#specs.map(({ spec, ...rest }) => ({
      ...rest,
      spec: { ...spec, paused: valueAt(spec, 'paused') === true },
    }));
  }

  look(): void {
    const rollout = this.play.parsed;
    if (rollout === undefined) return;
    this.#lookAtAll(rollout);
    this.#lookAtRevert(rollout);
  }

  /** Nothing comes back faster than a batch, or at the cost of what serves. */
  #lookAtRevert({ status, plan: { revertOnDelete, ...rest } }: Rollout): void {
    const { run, origin, position, rolloutTargetSize } = status;
    const isReverting = position?.rolling === 'RolloutDeletingState' && revertOnDelete;
    if (!isReverting || run === undefined || origin === undefined) return;
    const { workloads } = this.play;
    const asked = workloads.reduce((sum, { replicas }) => sum + replicas, 0);
    const ready = workloads.reduce((sum, { pods }) => sum + pods.readyReplicas, 0);
    // Pods that nobody asks for any more go by themselves.
    const wanted = workloads.reduce(
      (sum, { replicas, pods }) => sum + Math.min(replicas, pods.readyReplicas),
      0,
    );
    this.#atRevert ??= { asked, ready: wanted };
    const goal = origin.reduce((pods, { replicas }) => pods + replicas, 0);
    const extent = extentOf(run, rolloutTargetSize >= 0 ? rolloutTargetSize : goal);
    const portion = Math.max(1, largestBatch(batchesOf({ revertOnDelete, ...rest }, extent), extent));
    const [more, fewer] = this.#isIncreasing ? [portion, 0] : [0, portion];
    expect(asked, 'asked for').toBeLessThanOrEqual(Math.max(this.#atRevert.asked, goal) + more);
    expect(asked, 'asked for').toBeGreaterThanOrEqual(Math.min(this.#atRevert.asked, goal) - fewer);
    expect(ready, 'serving').toBeGreaterThanOrEqual(Math.min(this.#atRevert.ready, goal) - fewer);
  }

  /** The number of pods, whatever was done so far. */
  #lookAtAll(rollout: Rollout): void {
    const { run, rolloutTargetSize, origin } = rollout.status;
    const before = (origin ?? []).reduce((pods, { replicas }) => pods + replicas, 0);
    if (run !== undefined) {
      const size = rolloutTargetSize >= 0 ? rolloutTargetSize : before;
      const extent = extentOf(run, size);
      const all = batchesOf(rollout.plan, extent);
      this.#portion = Math.max(this.#portion, largestBatch(all, extent));
      this.#missing = Math.max(this.#missing, ...all.map((batch) => unavailableOf(batch, extent)));
      this.#most = Math.max(this.#most, size);
      // A smaller size that was asked for is one.
      this.#fewest = Math.min(this.#fewest, size);
    }
    const { workloads } = this.play;
    const count = (of: (workload: (typeof workloads)[number]) => number) =>
      workloads.reduce((sum, workload) => sum + of(workload), 0);
    const more = this.#isIncreasing ? this.#portion : 0;
    const fewer = (this.#isIncreasing ? 0 : this.#portion) + this.#missing;
    const told = JSON.stringify([
      workloads.map(({ name, replicas, pods }) => [name, replicas, pods.replicas, pods.readyReplicas]),
      this.play.rollout?.status,
    ]);
    const highest = this.#most + more;
    expect(
      count(({ replicas }) => replicas),
      `pods asked for ${told}`,
    ).toBeLessThanOrEqual(highest);
    expect(
      count(({ pods }) => pods.replicas),
      `pods ${told}`,
    ).toBeLessThanOrEqual(highest);
    expect(
      count(({ pods }) => pods.readyReplicas),
      `ready pods ${told}`,
    ).toBeGreaterThanOrEqual(this.#fewest - fewer);
  }
}

function target(name: string) {
  return { apiVersion: 'apps/v1', kind: 'Deployment', name };
}

/** Everything that happens, and then all that is left to be done. */
function playOut(scene: Deployments, acts: readonly Act[], endsDeleted: boolean) {
  const { play } = scene;
  const watch = new Watch(scene);
  const look = () => {
    play.nowMs += 1_000;
    scene.look();
    watch.look();
  };
  const baselines = new Baselines(scene);
  for (const act of spelledOut(acts, [0, 1, 2])) {
    baselines.look();
    scene.perform(act);
    look();
  }
  baselines.look();
  scene.relent();
  if (endsDeleted) play.delete();
  const isDeleting = play.rollout?.metadata.deletionTimestamp !== undefined;
  play.until(
    () => play.rollout === undefined || (!isDeleting && isOver(play)),
    () => {
      baselines.look();
      look();
    },
  );
  play.until(() => play.workloads.every(({ replicas, pods }) => pods.replicas === replicas), look);
  return { isDeleting, baselines, watch };
}

/** What was there before the first batch of what was not yet over. */
class Baselines {
  readonly #scene: Deployments;
  #latest: Deployments['whole'];
  #state: string | undefined;
  /** Undefined where nothing is to be brought back. */
  expected: Deployments['whole'] | undefined;

  constructor(scene: Deployments) {
    this.#scene = scene;
    this.#latest = scene.whole;
  }

  look(): void {
    const { parsed } = this.#scene.play;
    const rolling = parsed?.status.position?.rolling;
    const wasOver = this.#state === 'rolloutSucceed' || this.#state === 'rolloutFailed';
    if (wasOver && rolling === 'locatingTargetApp') this.#latest = this.#scene.whole;
    if (rolling === undefined) return;
    const isDeleting = parsed?.metadata.deletionTimestamp !== undefined;
    if (!isDeleting)
      this.expected =
        rolling === 'rolloutSucceed' || parsed?.plan.revertOnDelete !== true ? undefined : this.#latest;
    this.#state = rolling;
  }
}

test('whatever happens to a rollout, pods stay within the band, batches come in turn, and it ends', () => {
  const ends = new Map<string, number>();
  const note = (end: string) => ends.set(end, (ends.get(end) ?? 0) + 1);
  fc.assert(
    fc.property(
      fc.integer({ min: 4, max: 12 }),
      plan,
      fc.option(fc.integer({ min: 2, max: 16 }), { freq: 5, nil: undefined }),
      anyActs,
      fc.boolean(),
      (size, rolloutPlan, targetSize, acts, endsDeleted) => {
        const scene = new Deployments(size, rolloutPlan, targetSize);
        const { isDeleting, baselines } = playOut(scene, acts, endsDeleted);
        const { play } = scene;
        // Who stalled may claim something later; it is let go as soon as somebody looks.
        if (play.rollout !== undefined && !isDeleting) play.move();
        if (play.rollout !== undefined || !acts.some((act) => act.do === 'wake'))
          expect(play.workloads.map(({ claim }) => claim)).toEqual([undefined, undefined, undefined]);
        const end = play.rollout === undefined ? 'deleted' : (play.status?.position?.rolling ?? 'nothing');
        note(end);
        if (end === 'rolloutSucceed') {
          const { run, rolloutTargetSize } = play.status ?? {};
          expect(play.size(run?.target ?? '')).toBe(rolloutTargetSize);
          if (run?.mode === 'rolling') expect(scene.others(play.parsed as Rollout)).toBe(0);
        }
        if (isDeleting && baselines.expected !== undefined) {
          note('reverted');
          expect(scene.whole, 'what was there is there again').toEqual(baselines.expected);
        }
      },
    ),
    { numRuns: RUNS },
  );
  // Stories that all end the same way would prove little.
  for (const end of ['deleted', 'rolloutSucceed', 'rolloutFailed', 'reverted'])
    expect(ends.get(end)).toBeGreaterThan(5);
});

test('a rollout that nothing goes wrong with succeeds exactly where its plan fits', () => {
  fc.assert(
    fc.property(fc.integer({ min: 4, max: 12 }), plan, harmlessActs, (size, rolloutPlan, acts) => {
      const scene = new Deployments(size, rolloutPlan);
      scene.isKind = true;
      playOut(scene, acts, false);
      const { parsed } = scene.play;
      const { fits } = promiseOf((parsed as Rollout).plan, 0, size);
      const end = fits ? 'rolloutSucceed' : 'rolloutFailed';
      expect(parsed?.status.position?.rolling, JSON.stringify(parsed?.status.conditions)).toBe(end);
      if (fits) expect(scene.asked(parsed as Rollout)).toBe(size);
    }),
    { numRuns: RUNS / 2 },
  );
});
