import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Rollout } from '@/lib/oam/rollout';
import { type Act, anyActs, harmlessActs, Performer, plan, spelledOut } from '@/lib/oam/testing/acts';
import { Play } from '@/lib/oam/testing/play';
import { PlayedCloneSet } from '@/lib/oam/testing/played-clone-set';
import { promiseOf } from '@/lib/oam/testing/promise';
import { isAtRest, isOver, type Scene, Watch } from '@/lib/oam/testing/watch';
import { rolledWorkload } from '@/lib/oam/workload';
import { type JsonObject } from '@/lib/kube/json';
import { numberAt, objectAt, objectsAt, textAt } from '@/lib/workloads/read';

const RUNS = 300;
const REVISIONS = ['old', 'new', 'newer'] as const;

/** How a rollout of the CloneSet begins. */
const beginning = fc.oneof(
  // As designed: the template is there already, and held back.
  fc.constantFrom<JsonObject>({ paused: true }, { partition: '100%' }, { paused: true, partition: 2 }),
  // As shipped: a component revision says what the template becomes.
  fc.constant('by revision' as const),
);

/** Nothing is new: it is to have another size. */
const scaling = fc.integer({ min: 2, max: 16 }).map((targetSize) => ({ targetSize }));

class CloneSet implements Scene {
  readonly play = new Play();
  readonly set: PlayedCloneSet;
  readonly before: JsonObject;
  /** Asks for another target only while it is known what to come from. */
  isKind = false;
  readonly #performer = new Performer(this.play);
  readonly #isByRevision: boolean;
  /** All that somebody has asked for. */
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
    this.set = new PlayedCloneSet(this.play, size, strategy, isNew ? 'new' : 'old');
    this.before = this.whole;
    const reference = { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'set' };
    this.play.roll({
      ...(this.#isByRevision
        ? { targetRevisionName: 'new', componentName: 'set' }
        : { targetRef: reference }),
      rolloutPlan: { ...rolloutPlan, ...(targetSize !== undefined && { targetSize }) },
    });
  }

  asked({ status }: Rollout): number {
    const { replicas, kept } = this.#workload;
    if (status.run?.mode === 'scaling') return replicas;
    // Until it is claimed nothing is let through.
    return status.position?.rolling === 'initializing' ? this.#fresh : replicas - kept;
  }

  others(rollout: Rollout): number {
    return this.#workload.replicas - this.asked(rollout);
  }

  ready({ status }: Rollout): number {
    const { readyReplicas, updatedReadyReplicas } = this.#workload.pods;
    return status.run?.mode === 'scaling' ? readyReplicas : updatedReadyReplicas;
  }

  remember(): void {
    const image = this.#image;
    const fresh = this.set.pods.filter(({ revision }) => revision === image);
    this.#finished = fresh.map((pod) => ({ pod, revision: image }));
  }

  recall(): void {
    for (const { pod, revision } of this.#finished)
      expect(pod.revision, 'a pod of a finished batch stays what it is').toBe(revision);
  }

  forget(): void {
    this.#finished = [];
  }

  perform(act: Exclude<Act, { do: 'run' }>): void {
    const { spec } = this.set.object;
    if (act.do === 'live') this.set.live(act.made, act.ready);
    else if (act.do === 'target') this.#aim(REVISIONS[act.which] ?? 'old');
    else if (act.do !== 'move') this.#performer.perform(act);
    else {
      const mayWrite = !isAtRest(this.play);
      this.#performer.perform(act);
      if (!mayWrite) expect(this.set.object.spec, 'nothing moves while it rests').toEqual(spec);
    }
  }

  #aim(revision: string): void {
    const { lastTarget } = this.play.status ?? {};
    const isKnown = lastTarget !== undefined;
    // To roll to what all pods run already is refused.
    const isNews = this.set.pods.some((pod) => pod.revision !== revision);
    if (this.#isByRevision && ((isKnown && isNews) || !this.isKind))
      this.play.editSpec({ targetRevisionName: revision });
  }

  relent(): void {
    this.#performer.relent();
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

  /** Not to be paused may be written or left out. */
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

  /** Its pods are as many as somebody has asked for, and none has run ahead. */
  look(): void {
    const { rolloutTargetSize = -1, run } = this.play.status ?? {};
    if (rolloutTargetSize >= 0) this.#sizes.add(rolloutTargetSize);
    expect(this.set.pods.length).toBeGreaterThanOrEqual(Math.min(...this.#sizes));
    expect(this.set.pods.length).toBeLessThanOrEqual(Math.max(...this.#sizes));
    const { rolling } = this.play.status?.position ?? {};
    if (rolling === 'rollingInBatches' && run?.mode === 'rolling')
      expect(this.#fresh, 'no pod runs ahead').toBeLessThanOrEqual(
        this.#workload.replicas - this.#workload.kept,
      );
  }
}

function playOut(scene: CloneSet, acts: readonly Act[], endsDeleted: boolean) {
  const { play, set } = scene;
  const watch = new Watch(scene);
  const look = () => {
    play.nowMs += 1_000;
    scene.look();
    watch.look();
  };
  for (const act of spelledOut(acts, [0])) {
    scene.perform(act);
    look();
  }
  scene.relent();
  const { status } = play;
  const { revertOnDelete } = play.parsed?.plan ?? {};
  if (endsDeleted) play.delete();
  const isDeleting = play.rollout?.metadata.deletionTimestamp !== undefined;
  play.until(
    () => play.rollout === undefined || (!isDeleting && isOver(play)),
    () => {
      set.live(2, 2);
      look();
    },
  );
  set.live(99, 99);
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
        const { play } = scene;
        const { isDeleting, mustRevert } = playOut(scene, acts, endsDeleted);
        const end = play.rollout === undefined ? 'deleted' : (play.status?.position?.rolling ?? '');
        note(end);
        if (play.rollout !== undefined && !isDeleting) play.move();
        if (play.rollout !== undefined || !acts.some((act) => act.do === 'wake'))
          expect(play.workloads.map(({ claim }) => claim)).toEqual([undefined]);
        if (end === 'rolloutSucceed' && play.status?.run?.mode === 'rolling')
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

test('a rollout of a CloneSet that nothing goes wrong with succeeds exactly where its plan fits', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 4, max: 12 }),
      beginning,
      plan,
      harmlessActs,
      (size, begins, rolloutPlan, acts) => {
        const scene = new CloneSet(size, begins, rolloutPlan);
        scene.isKind = true;
        playOut(scene, acts, false);
        const { parsed } = scene.play;
        const { fits } = promiseOf((parsed as Rollout).plan, 0, size);
        const end = fits ? 'rolloutSucceed' : 'rolloutFailed';
        expect(parsed?.status.position?.rolling, JSON.stringify(parsed?.status.conditions)).toBe(end);
        if (fits) expect(new Set(scene.images).size).toBe(1);
      },
    ),
    { numRuns: RUNS / 2 },
  );
});
