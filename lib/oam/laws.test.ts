import fc from 'fast-check';
import { expect, test } from 'vitest';
import { batchesOf, largestBatch, unavailableOf } from '@/lib/oam/batches';
import { extentOf } from '@/lib/oam/reconcile';
import type { ControlledRollout } from '@/lib/oam/rollout';
import {
  type SimulatedAct,
  anyActs,
  harmlessActs,
  ActPerformer,
  plan,
  expandRuns,
} from '@/lib/oam/testing/simulated-acts';
import { RolloutSimulation } from '@/lib/oam/testing/rollout-simulation';
import { expectedBatchesOf } from '@/lib/oam/testing/expected-batches';
import {
  isAtRest,
  isOver,
  type CheckedScenario,
  InvariantChecker,
} from '@/lib/oam/testing/invariant-checker';
import type { JsonObject } from '@/lib/kube/json';
import { textAt, valueAt } from '@/lib/kube/read';

const RUNS = 400;
const NAMES = ['a', 'b', 'c'] as const;

/** Three Deployments, of which the first has pods. */
class Deployments implements CheckedScenario {
  readonly simulation = new RolloutSimulation();
  /** Requests another target only while its origin is known. */
  isKind = false;
  readonly #performer = new ActPerformer(this.simulation);
  readonly #isIncreasing: boolean;
  #fewest: number;
  #most: number;
  #portion = 1;
  #missing = 0;
  #atRevert: { readonly asked: number; readonly ready: number } | undefined;

  /** With a target size no other Deployment can be the target. */
  constructor(size: number, rolloutPlan: JsonObject, targetSize?: number) {
    this.#isIncreasing = textAt(rolloutPlan, 'rolloutStrategy') === 'IncreaseFirst';
    this.#fewest = size;
    this.#most = size;
    this.simulation.deploy('a', size);
    this.simulation.deploy('b', 0, { paused: true });
    this.simulation.deploy('c', 0, { paused: true });
    const pair = { targetRef: target('b'), sourceRef: [target('a')], rolloutPlan };
    const alone = {
      ...pair,
      targetRef: target('a'),
      rolloutPlan: { ...rolloutPlan, targetSize: targetSize ?? null },
    };
    this.simulation.roll(targetSize === undefined ? pair : alone);
  }

  asked({ status }: ControlledRollout): number {
    return this.simulation.size(status.run?.target ?? '');
  }

  others({ status }: ControlledRollout): number {
    const names = NAMES.filter((name) => name !== status.run?.target);
    return names.reduce((sum, name) => sum + this.simulation.size(name), 0);
  }

  ready({ status }: ControlledRollout): number {
    return this.simulation.workloads.find(({ name }) => name === status.run?.target)?.pods.readyReplicas ?? 0;
  }

  saveBaseline(): void {
    // Pods of a Deployment are interchangeable: only their number counts.
  }

  checkBaseline(): void {
    this.saveBaseline();
  }

  clearBaseline(): void {
    this.saveBaseline();
  }

  perform(act: Exclude<SimulatedAct, { do: 'run' }>): void {
    const before = this.#specs.map(({ spec }) => spec);
    if (act.do === 'live') this.simulation.advancePods(NAMES[act.which] ?? 'a', act.ready, act.made);
    else if (act.do === 'target') this.#aim(NAMES[act.which] ?? 'a');
    else if (act.do !== 'move') this.#performer.perform(act);
    else {
      const mayWrite = !isAtRest(this.simulation);
      this.#performer.perform(act);
      const after = this.#specs.map(({ spec }) => spec);
      if (!mayWrite) expect(after, 'nothing moves while it rests').toEqual(before);
    }
  }

  #aim(name: string): void {
    const { lastTarget, rolloutOriginalSize = -1 } = this.simulation.status ?? {};
    const isKnown = lastTarget !== undefined && rolloutOriginalSize >= 0;
    if (isKnown || !this.isKind) this.simulation.editSpec({ targetRef: target(name) });
  }

  relent(): void {
    this.#performer.removeObstacles();
  }

  /** Everything that a revert has to restore. */
  get #specs() {
    return [...this.simulation.objects.values()].map(({ metadata, spec }) => ({
      labels: { ...metadata.labels },
      annotations: { ...metadata.annotations },
      spec,
    }));
  }

  /** A source that was not paused says `false` or nothing. */
  get whole() {
    return this.#specs.map(({ spec, ...rest }) => ({
      ...rest,
      spec: { ...spec, paused: valueAt(spec, 'paused') === true },
    }));
  }

  look(): void {
    const rollout = this.simulation.parsed;
    if (rollout === undefined) return;
    this.#lookAtAll(rollout);
    this.#lookAtRevert(rollout);
  }

  /** A revert is never faster than a batch, and never ends serving pods. */
  #lookAtRevert({ status, plan: { revertOnDelete, ...rest } }: ControlledRollout): void {
    const { run, origin, position, rolloutTargetSize } = status;
    const isReverting = position?.rolling === 'RolloutDeletingState' && revertOnDelete;
    if (!isReverting || run === undefined || origin === undefined) return;
    const { workloads } = this.simulation;
    const asked = workloads.reduce((sum, { replicas }) => sum + replicas, 0);
    const ready = workloads.reduce((sum, { pods }) => sum + pods.readyReplicas, 0);
    // Pods that are no longer requested end by themselves.
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
  #lookAtAll(rollout: ControlledRollout): void {
    const { run, rolloutTargetSize, origin } = rollout.status;
    const before = (origin ?? []).reduce((pods, { replicas }) => pods + replicas, 0);
    if (run !== undefined) {
      const size = rolloutTargetSize >= 0 ? rolloutTargetSize : before;
      const extent = extentOf(run, size);
      const all = batchesOf(rollout.plan, extent);
      this.#portion = Math.max(this.#portion, largestBatch(all, extent));
      this.#missing = Math.max(this.#missing, ...all.map((batch) => unavailableOf(batch, extent)));
      this.#most = Math.max(this.#most, size);
      // A smaller requested size is one.
      this.#fewest = Math.min(this.#fewest, size);
    }
    const { workloads } = this.simulation;
    const count = (of: (workload: (typeof workloads)[number]) => number) =>
      workloads.reduce((sum, workload) => sum + of(workload), 0);
    const more = this.#isIncreasing ? this.#portion : 0;
    const fewer = (this.#isIncreasing ? 0 : this.#portion) + this.#missing;
    const told = JSON.stringify([
      workloads.map(({ name, replicas, pods }) => [name, replicas, pods.replicas, pods.readyReplicas]),
      this.simulation.rollout?.status,
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

/** Every event, and then all remaining work. */
function runScenario(scene: Deployments, acts: readonly SimulatedAct[], endsDeleted: boolean) {
  const { simulation } = scene;
  const watch = new InvariantChecker(scene);
  const look = () => {
    simulation.nowMs += 1_000;
    scene.look();
    watch.observe();
  };
  const baselines = new Baselines(scene);
  for (const act of expandRuns(acts, [0, 1, 2])) {
    baselines.look();
    scene.perform(act);
    look();
  }
  baselines.look();
  scene.relent();
  if (endsDeleted) simulation.delete();
  const isDeleting = simulation.rollout?.metadata.deletionTimestamp !== undefined;
  simulation.runUntil(
    () => simulation.rollout === undefined || (!isDeleting && isOver(simulation)),
    () => {
      baselines.look();
      look();
    },
  );
  simulation.runUntil(
    () => simulation.workloads.every(({ replicas, pods }) => pods.replicas === replicas),
    look,
  );
  return { isDeleting, baselines, watch };
}

/** The workloads as they were before the first batch of a rollout that has not ended. */
class Baselines {
  readonly #scene: Deployments;
  #latest: Deployments['whole'];
  #state: string | undefined;
  /** Undefined where there is nothing to restore. */
  expected: Deployments['whole'] | undefined;

  constructor(scene: Deployments) {
    this.#scene = scene;
    this.#latest = scene.whole;
  }

  look(): void {
    const { parsed } = this.#scene.simulation;
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

test('whatever happens to a rollout, pods stay within the band, batches run in order, and it ends', () => {
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
        const { isDeleting, baselines } = runScenario(scene, acts, endsDeleted);
        const { simulation } = scene;
        // A stalled controller may claim something later; the next reconcile releases it.
        if (simulation.rollout !== undefined && !isDeleting) simulation.reconcile();
        if (simulation.rollout !== undefined || !acts.some((act) => act.do === 'wake'))
          expect(simulation.workloads.map(({ claim }) => claim)).toEqual([undefined, undefined, undefined]);
        const end =
          simulation.rollout === undefined ? 'deleted' : (simulation.status?.position?.rolling ?? 'nothing');
        note(end);
        if (end === 'rolloutSucceed') {
          const { run, rolloutTargetSize } = simulation.status ?? {};
          expect(simulation.size(run?.target ?? '')).toBe(rolloutTargetSize);
          if (run?.mode === 'rolling') expect(scene.others(simulation.parsed as ControlledRollout)).toBe(0);
        }
        if (isDeleting && baselines.expected !== undefined) {
          note('reverted');
          expect(scene.whole, 'what was there is there again').toEqual(baselines.expected);
        }
      },
    ),
    { numRuns: RUNS },
  );
  // Simulations that all end the same way would prove little.
  for (const end of ['deleted', 'rolloutSucceed', 'rolloutFailed', 'reverted'])
    expect(ends.get(end)).toBeGreaterThan(5);
});

test('without disturbances a rollout succeeds exactly where its plan fits', () => {
  fc.assert(
    fc.property(fc.integer({ min: 4, max: 12 }), plan, harmlessActs, (size, rolloutPlan, acts) => {
      const scene = new Deployments(size, rolloutPlan);
      scene.isKind = true;
      runScenario(scene, acts, false);
      const { parsed } = scene.simulation;
      const { fits } = expectedBatchesOf((parsed as ControlledRollout).plan, 0, size);
      const end = fits ? 'rolloutSucceed' : 'rolloutFailed';
      expect(parsed?.status.position?.rolling, JSON.stringify(parsed?.status.conditions)).toBe(end);
      if (fits) expect(scene.asked(parsed as ControlledRollout)).toBe(size);
    }),
    { numRuns: RUNS / 2 },
  );
});
