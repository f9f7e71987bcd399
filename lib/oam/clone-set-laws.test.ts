import fc from 'fast-check';
import { expect, test } from 'vitest';
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
import { SimulatedCloneSet } from '@/lib/oam/testing/simulated-clone-set';
import { expectedBatchesOf } from '@/lib/oam/testing/expected-batches';
import {
  isAtRest,
  isOver,
  type CheckedScenario,
  InvariantChecker,
} from '@/lib/oam/testing/invariant-checker';
import { rolledWorkload } from '@/lib/oam/rolled-workload';
import type { JsonObject } from '@/lib/kube/json';
import { numberAt, objectAt, objectsAt, textAt } from '@/lib/kube/read';

const RUNS = 300;
const REVISIONS = ['old', 'new', 'newer'] as const;

/** How a rollout of the CloneSet begins. */
const beginning = fc.oneof(
  // In the fields of the design: the template is already set, and held by the partition.
  fc.constantFrom<JsonObject>({ paused: true }, { partition: '100%' }, { paused: true, partition: 2 }),
  // In the shipped fields: a component revision describes the new template.
  fc.constant('by revision' as const),
);

/** Nothing is new: only the size changes. */
const scaling = fc.integer({ min: 2, max: 16 }).map((targetSize) => ({ targetSize }));

class CloneSet implements CheckedScenario {
  readonly simulation = new RolloutSimulation();
  readonly set: SimulatedCloneSet;
  readonly before: JsonObject;
  /** Requests another target only while its origin is known. */
  isKind = false;
  readonly #performer = new ActPerformer(this.simulation);
  readonly #isByRevision: boolean;
  /** All pods that were requested. */
  readonly #sizes: Set<number>;
  #finished: { pod: { revision: string }; revision: string }[] = [];

  constructor(
    size: number,
    begins: JsonObject | 'by revision' | { targetSize: number },
    rolloutPlan: JsonObject,
  ) {
    const targetSize = begins === 'by revision' ? undefined : numberAt(begins, 'targetSize');
    this.#isByRevision = begins === 'by revision';
    this.#sizes = new Set([size]);
    const isNew = !this.#isByRevision && targetSize === undefined;
    const strategy = isNew && begins !== 'by revision' ? begins : {};
    this.set = new SimulatedCloneSet(this.simulation, size, strategy, isNew ? 'new' : 'old');
    this.before = this.whole;
    const reference = { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'set' };
    this.simulation.roll({
      ...(this.#isByRevision
        ? { targetRevisionName: 'new', componentName: 'set' }
        : { targetRef: reference }),
      rolloutPlan: { ...rolloutPlan, ...(targetSize !== undefined && { targetSize }) },
    });
  }

  asked({ status }: ControlledRollout): number {
    const { replicas, heldReplicas: kept } = this.#workload;
    if (status.run?.mode === 'scaling') return replicas;
    // Until the CloneSet is claimed, the partition releases no pod.
    return status.position?.rolling === 'initializing' ? this.#fresh : replicas - kept;
  }

  others(rollout: ControlledRollout): number {
    return this.#workload.replicas - this.asked(rollout);
  }

  ready({ status }: ControlledRollout): number {
    const { readyReplicas, updatedReadyReplicas } = this.#workload.pods;
    return status.run?.mode === 'scaling' ? readyReplicas : updatedReadyReplicas;
  }

  saveBaseline(): void {
    const image = this.#image;
    const fresh = this.set.pods.filter(({ revision }) => revision === image);
    this.#finished = fresh.map((pod) => ({ pod, revision: image }));
  }

  checkBaseline(): void {
    for (const { pod, revision } of this.#finished)
      expect(pod.revision, 'a pod of a finished batch stays what it is').toBe(revision);
  }

  clearBaseline(): void {
    this.#finished = [];
  }

  perform(act: Exclude<SimulatedAct, { do: 'run' }>): void {
    const { spec } = this.set.object;
    if (act.do === 'live') this.set.advancePods(act.made, act.ready);
    else if (act.do === 'target') this.#aim(REVISIONS[act.which] ?? 'old');
    else if (act.do !== 'move') this.#performer.perform(act);
    else {
      const mayWrite = !isAtRest(this.simulation);
      this.#performer.perform(act);
      if (!mayWrite) expect(this.set.object.spec, 'nothing moves while it rests').toEqual(spec);
    }
  }

  #aim(revision: string): void {
    const { lastTarget } = this.simulation.status ?? {};
    const isKnown = lastTarget !== undefined;
    // A rollout to the revision that all pods already run is rejected.
    const isNews = this.set.pods.some((pod) => pod.revision !== revision);
    if (this.#isByRevision && ((isKnown && isNews) || !this.isKind))
      this.simulation.editSpec({ targetRevisionName: revision });
  }

  relent(): void {
    this.#performer.removeObstacles();
  }

  get #image(): string {
    const template = objectAt(this.set.object.spec, 'template');
    return textAt(objectsAt(template, 'spec', 'containers')[0], 'image') ?? '';
  }

  get #fresh(): number {
    const image = this.#image;
    return this.set.pods.filter(({ revision }) => revision === image).length;
  }

  get #workload() {
    return rolledWorkload('CloneSet', this.set.object);
  }

  /** "Not paused" may be written or left out. */
  get whole(): JsonObject {
    const { metadata, spec } = this.set.object;
    return {
      labels: { ...metadata.labels },
      annotations: { ...metadata.annotations },
      replicas: spec?.replicas ?? null,
      updateStrategy: { paused: false, ...objectAt(spec, 'updateStrategy') },
    };
  }

  get images(): string[] {
    return this.set.pods.map(({ revision }) => revision);
  }

  /** It has as many pods as requested, and none ahead of its batch. */
  look(): void {
    const { rolloutTargetSize = -1, run } = this.simulation.status ?? {};
    if (rolloutTargetSize >= 0) this.#sizes.add(rolloutTargetSize);
    expect(this.set.pods.length).toBeGreaterThanOrEqual(Math.min(...this.#sizes));
    expect(this.set.pods.length).toBeLessThanOrEqual(Math.max(...this.#sizes));
    const { rolling } = this.simulation.status?.position ?? {};
    if (rolling === 'rollingInBatches' && run?.mode === 'rolling')
      expect(this.#fresh, 'no pod runs ahead').toBeLessThanOrEqual(
        this.#workload.replicas - this.#workload.heldReplicas,
      );
  }
}

function runScenario(scene: CloneSet, acts: readonly SimulatedAct[], endsDeleted: boolean) {
  const { simulation, set } = scene;
  const watch = new InvariantChecker(scene);
  const look = () => {
    simulation.nowMs += 1_000;
    scene.look();
    watch.observe();
  };
  for (const act of expandRuns(acts, [0])) {
    scene.perform(act);
    look();
  }
  scene.relent();
  const { status } = simulation;
  const { revertOnDelete } = simulation.parsed?.plan ?? {};
  if (endsDeleted) simulation.delete();
  const isDeleting = simulation.rollout?.metadata.deletionTimestamp !== undefined;
  simulation.runUntil(
    () => simulation.rollout === undefined || (!isDeleting && isOver(simulation)),
    () => {
      set.advancePods(2, 2);
      look();
    },
  );
  set.advancePods(99, 99);
  const succeeded = status?.position?.rolling === 'rolloutSucceed';
  return { isDeleting, mustRevert: isDeleting && revertOnDelete === true && !succeeded && !watch.hasEnded };
}

test('whatever happens to the rollout of a CloneSet, no pod runs ahead of its batch, and it ends', () => {
  const ends = new Map<string, number>();
  const note = (end: string) => ends.set(end, (ends.get(end) ?? 0) + 1);
  fc.assert(
    fc.property(
      fc.integer({ min: 4, max: 12 }),
      fc.oneof({ weight: 4, arbitrary: beginning }, { weight: 1, arbitrary: scaling }),
      plan,
      anyActs,
      fc.boolean(),
      (size, begins, rolloutPlan, acts, endsDeleted) => {
        const scene = new CloneSet(size, begins, rolloutPlan);
        const { simulation } = scene;
        const { isDeleting, mustRevert } = runScenario(scene, acts, endsDeleted);
        const end =
          simulation.rollout === undefined ? 'deleted' : (simulation.status?.position?.rolling ?? '');
        note(end);
        if (simulation.rollout !== undefined && !isDeleting) simulation.reconcile();
        if (simulation.rollout !== undefined || !acts.some((act) => act.do === 'wake'))
          expect(simulation.workloads.map(({ claim }) => claim)).toEqual([undefined]);
        if (end === 'rolloutSucceed' && simulation.status?.run?.mode === 'rolling')
          expect(new Set(scene.images).size).toBe(1);
        if (mustRevert) {
          note('reverted');
          expect(new Set(scene.images), 'all pods run what they ran').toEqual(new Set(['old']));
          expect(scene.whole, 'what was there is there again').toEqual(scene.before);
        }
      },
    ),
    { numRuns: RUNS },
  );
  for (const end of ['deleted', 'rolloutSucceed', 'rolloutFailed', 'reverted'])
    expect(ends.get(end)).toBeGreaterThan(5);
});

test('without disturbances a rollout of a CloneSet succeeds exactly where its plan fits', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 4, max: 12 }),
      beginning,
      plan,
      harmlessActs,
      (size, begins, rolloutPlan, acts) => {
        const scene = new CloneSet(size, begins, rolloutPlan);
        scene.isKind = true;
        runScenario(scene, acts, false);
        const { parsed } = scene.simulation;
        const { fits } = expectedBatchesOf((parsed as ControlledRollout).plan, 0, size);
        const end = fits ? 'rolloutSucceed' : 'rolloutFailed';
        expect(parsed?.status.position?.rolling, JSON.stringify(parsed?.status.conditions)).toBe(end);
        if (fits) expect(new Set(scene.images).size).toBe(1);
      },
    ),
    { numRuns: RUNS / 2 },
  );
});
