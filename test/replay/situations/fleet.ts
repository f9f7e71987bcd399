import { fill } from './fill';
import { isCounted, isReady, LEFTOVER, type Pod, type PodState, renderPod, STARTING, UGLY } from './pods';
import { imagesOf, renderRevision, type Revision } from './revisions';
import {
  type Json,
  type JsonObject,
  type KubeObject,
  type Metadata,
  ownerOf,
  type Play,
  type Scene,
  time,
} from './scene';
import tables from './tables.json' with { type: 'json' };

export interface FleetOptions {
  apiVersion: string;
  kind: string;
  source: 'ReplicaSet' | 'ControllerRevision';
  /** Pods have ordinals, and the highest are updated first. */
  ordered?: boolean;
  /** The value of the label `controller-revision-hash`, or of `pod-template-hash` for ReplicaSets. */
  labelOf?: (revision: Revision) => string;
  /** The spec that a ControllerRevision records of a template. */
  recordOf?: (template: JsonObject) => JsonObject;
  /** The key of the label of a ControllerRevision and of its pods. */
  hashLabel?: string;
}

/** What is given where others decide it. */
export interface Given {
  name?: string;
  replicas?: number;
  /** How many revisions there are. */
  revisions?: number;
  template?: JsonObject;
}

export interface Counts {
  total: number;
  updated: number;
  ready: number;
  available: number;
  updatedReady: number;
}

/** What becomes of the pods of the target revision. */
export type Mood = keyof typeof tables.moods;

/** A workload of any kind with its revisions and pods, and what happens to it. */
export class Fleet {
  readonly name: string;
  uid: string;
  at: number;
  generation = 3;
  observed = 3;
  replicas: number;
  revisions: Revision[] = [];
  target: Revision;
  /** What the other pods run. */
  stable: Revision;
  /** The template of the spec: that of the target, unless the controller lags. */
  template: JsonObject;
  pods: Pod[] = [];
  mood: Mood = 'ready';
  /** Milliseconds: the last write of the spec, and the end of the last progress. */
  changedAt: number;
  progressAt: number;
  paused = false;
  partition: number | string | undefined;
  readonly minReadySeconds: number | undefined;
  readonly historyLimit: number | undefined;
  deletedAt: number | undefined;
  gone = false;
  /** The rollout of the target was complete once. */
  settled = false;
  /** What its events are about, where that is not the workload. */
  failing: { apiVersion: string; kind: string; name: string; uid: string } | undefined;
  refusal: string | undefined;
  extraLabels: JsonObject = {};
  annotations: JsonObject = {};
  actor: string | undefined;
  readonly events: KubeObject[] = [];
  /** Labels that something else puts on a pod. */
  podLabels: (pod: Pod) => JsonObject = () => ({});
  #counts: Counts | undefined;
  #image: number;

  readonly scene: Scene;
  readonly options: FleetOptions;

  constructor(scene: Scene, options: FleetOptions, given: Given = {}) {
    this.scene = scene;
    this.options = options;

    this.name = given.name ?? scene.pick(['web', 'ledger-db', 'node-agent', 'cart', 'search-index']);
    this.uid = scene.uid();
    this.at = scene.ago(1_000_000);
    this.changedAt = scene.ago(scene.age());
    this.progressAt = this.changedAt + scene.int(2) * Math.min(300_000, scene.now - this.changedAt);
    this.replicas = given.replicas ?? scene.pick([0, 1, 1, 2, 3, 3, 3, 4, 5, 6]);
    this.minReadySeconds = scene.maybe(15, scene.pick([5, 30, 120, '10' as unknown as number]));
    this.historyLimit = scene.maybe(20, scene.int(4));
    this.actor = scene.maybe(75, scene.pick(tables.actors));
    this.#image = scene.int(30);
    const count = given.revisions ?? 1 + scene.int(4);
    this.template = given.template ?? this.#newTemplate();
    this.target = this.#addRevision(scene.ago(950_000));
    this.stable = this.target;
    for (let number = 2; number <= count; number += 1) this.release(scene.ago(900_000 - number * 100_000));
    if (count > 1) this.target.at = Math.max(this.at, this.changedAt + 500);
    this.#blemish();
    this.#placeSome();
    if (given.template === undefined && scene.chance(6)) this.lag();
    if (given.template === undefined && scene.chance(7)) this.paused = true;
  }

  /** Another template, which the controller has recorded. */
  release(at: number): void {
    this.template = this.#newTemplate();
    this.settled = false;
    this.stable = this.scene.chance(85) ? this.target : this.stable;
    this.target = this.#addRevision(at);
  }

  /** The spec is written; the controller has seen it. */
  write(): void {
    this.generation += 1;
    this.observed = this.generation;
    this.changedAt = this.scene.ago(this.scene.pick([1, 2, 4]));
    this.actor = this.scene.maybe(75, this.scene.pick(tables.actors));
  }

  /** The spec is written, and the controller has not seen it. */
  lag(): void {
    const { scene } = this;
    this.#counts = this.counts();
    if (scene.chance(70)) this.template = this.#newTemplate();
    this.generation += 1;
    this.changedAt = scene.ago(scene.pick([1, 3, 45, 800]));
  }

  get isLagging(): boolean {
    return this.observed < this.generation;
  }

  /** One of the ordinary and the ugly things; what a kind adds stands in `others`. */
  change(others: Record<string, [weight: number, change: () => void]> = {}): void {
    const { scene } = this;
    if (this.isLagging && scene.chance(60)) this.#catchUp();
    const changes: typeof others = {
      progress: [16, () => this.place(Math.max(this.counts().updated, scene.int(this.replicas + 1)))],
      finish: [14, () => this.place(this.replicas, 'ready')],
      break: [8, () => this.place(this.counts().updated, 'broken')],
      release: [14, () => (this.write(), this.release(scene.now - 500), this.place(scene.int(3)))],
      rollback: [10, () => this.rollback()],
      scale: [7, () => (this.write(), this.scaleTo(scene.int(7)))],
      lag: [5, () => this.lag()],
      pause: [4, () => (this.write(), (this.paused = !this.paused))],
      refuse: [4, () => this.place(1 + scene.int(2), 'refused')],
      wait: [6, () => undefined],
      delete: [2, () => (this.deletedAt = scene.ago(scene.pick([2, 300])))],
      vanish: [1, () => (this.gone = true)],
      recreate: [2, () => this.#recreate()],
      prune: [3, () => this.#prune()],
      restart: [3, () => this.#restart()],
      ...others,
    };
    const weights = Object.fromEntries(Object.entries(changes).map(([name, [weight]]) => [name, weight]));
    changes[scene.weighted(weights)]?.[1]();
  }

  /** Back to an older template; a Deployment and a ControllerRevision get the next number. */
  rollback(): void {
    const older = this.revisions.filter((revision) => revision !== this.target);
    if (older.length === 0) return;
    const { scene } = this;
    const former = this.target;
    this.settled = false;
    this.write();
    this.target = scene.pick(older);
    this.template = this.target.template;
    this.stable = former;
    this.target.number = Math.max(...this.revisions.map(({ number }) => number)) + 1;
    this.target.written = scene.now - 500;
    this.place(scene.int(this.replicas + 1));
  }

  scaleTo(replicas: number): void {
    const updated = this.counts().updated;
    const wasComplete = updated === this.replicas;
    this.replicas = replicas;
    this.place(wasComplete ? replicas : Math.min(updated, replicas));
  }

  /** Puts pods into their places: so many of the target, and others of the stable revision. */
  place(updated: number, mood: Mood = this.scene.weighted(tables.moods)): void {
    const { scene, replicas, options } = this;
    this.mood = mood;
    this.refusal = mood === 'refused' ? scene.pick(tables.refusals) : undefined;
    if (this.refusal !== undefined && scene.chance(75)) this.fail(`Error creating: ${this.refusal}`);
    if (scene.chance(60)) this.progressAt = scene.now - 1_000;
    const before = this.pods;
    const isOrdered = options.ordered === true;
    const goal = Math.min(updated, replicas);
    const ugly = scene.pick(UGLY);
    const surge = !isOrdered && goal > 0 && goal < replicas && scene.chance(40) ? 1 : 0;
    const pods: Pod[] = [];
    for (let slot = 0; slot < replicas + surge; slot += 1) {
      const isUpdated = isOrdered ? slot >= replicas - goal : slot < goal;
      if (isUpdated && mood === 'refused' && scene.chance(70)) continue;
      const revision = isUpdated || this.stable === this.target ? this.target : this.#oldRevision();
      const state = isUpdated ? this.#stateOf(mood, ugly) : scene.chance(88) ? 'ready' : scene.pick(UGLY);
      const known = before.find((pod) => pod.ordinal === slot && pod.revision === revision.hash);
      pods.push(this.#pod(slot, revision, mood === 'young' && isUpdated ? 'ready' : state, known));
    }
    if (scene.chance(22)) this.#leaveOver(pods, isOrdered);
    this.pods = pods;
    if (this.isComplete && !this.isLagging) this.settled = true;
  }

  counts(): Counts {
    if (this.isLagging && this.#counts !== undefined) return this.#counts;
    const { scene } = this;
    const counted = this.pods.filter((pod) => isCounted(pod) && pod.owners.length > 0);
    const isUpdated = ({ revision }: Pod) => revision === this.target.hash;
    const delay = Number(this.minReadySeconds ?? 0) * 1_000;
    const ready = counted.filter(isReady);
    return {
      total: counted.length,
      updated: counted.filter(isUpdated).length,
      ready: ready.length,
      available: ready.filter(({ since }) => scene.now - since >= delay).length,
      updatedReady: ready.filter(isUpdated).length,
    };
  }

  /** Whether every pod runs the target and is available, by the counts. */
  get isComplete(): boolean {
    const { total, updated, available } = this.counts();
    return total === this.replicas && updated === total && available === total;
  }

  metadata(): Metadata {
    const { scene, actor, target } = this;
    const isStale = scene.namespace.endsWith('7');
    const cause = isStale ? this.stable.cause : target.cause;
    return scene.meta(this.name, {
      at: this.at,
      uid: this.uid,
      generation: this.generation,
      deletionTimestamp: time(this.deletedAt),
      finalizers: this.deletedAt === undefined ? undefined : ['foregroundDeletion'],
      labels: { app: this.name, ...this.extraLabels },
      annotations: { 'kubernetes.io/change-cause': cause, ...this.annotations },
      managedFields: actor === undefined ? undefined : this.#managedFields(actor),
    });
  }

  /** The workload, its revisions, its pods, and its events. */
  render(spec: JsonObject, status: JsonObject, extra: readonly KubeObject[] = []): KubeObject[] {
    const { apiVersion, kind } = this.options;
    const metadata = this.metadata();
    const isBare = this.scene.namespace.endsWith('99');
    const workload = { apiVersion, kind, metadata, spec, status: isBare ? undefined : status };
    return [
      ...(this.gone ? [] : [workload]),
      ...this.revisions.map((revision) => renderRevision(this, revision)),
      ...this.pods.map((pod) => renderPod(this.scene, pod, this.podLabels(pod))),
      ...this.events,
      ...extra,
    ];
  }

  /** The name that status fields of kinds with ControllerRevisions hold. */
  labelOf(revision: Revision): string {
    return this.options.labelOf?.(revision) ?? revision.hash;
  }

  ownerOf(uid = this.uid): Json[] {
    return ownerOf({ ...this.options, name: this.name }, uid);
  }

  /** A Warning event of the controller: about the ReplicaSet where there is one, else the workload. */
  fail(message: string, reason = 'FailedCreate'): void {
    const { scene, target, options, uid, name } = this;
    const at = scene.ago(scene.pick([2, 20, 200]));
    const replicaSet = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: target.name, uid: target.uid };
    const workload = { apiVersion: options.apiVersion, kind: options.kind, name, uid };
    const involved = this.failing ?? (options.source === 'ReplicaSet' ? replicaSet : workload);
    const metadata = scene.meta(`${name}.${scene.hash(8)}`, { at });
    const times = { first: time(at - 60_000), last: time(at) };
    this.events.push(
      fill('Event', {
        metadata,
        involved: { ...involved, namespace: scene.namespace },
        reason,
        message,
        ...times,
      }),
    );
  }

  get hashLabel(): string {
    const { source, hashLabel } = this.options;
    return hashLabel ?? (source === 'ReplicaSet' ? 'pod-template-hash' : 'controller-revision-hash');
  }

  #placeSome(): void {
    const { scene, replicas } = this;
    const isOver = this.revisions.length === 1 || scene.chance(45);
    if (isOver && scene.chance(70)) this.stable = this.target;
    this.place(isOver ? replicas : scene.int(replicas + 1), isOver && scene.chance(60) ? 'ready' : undefined);
    if (isOver && scene.chance(80)) this.progressAt = scene.ago(scene.age());
  }

  #oldRevision(): Revision {
    const others = this.revisions.filter((revision) => revision !== this.target);
    return others.length > 0 && this.scene.chance(8) ? this.scene.pick(others) : this.stable;
  }

  #stateOf(mood: Mood, ugly: PodState): PodState {
    const { scene } = this;
    if (mood === 'starting') return scene.pick(STARTING);
    if (mood === 'broken') return scene.chance(85) ? ugly : 'ready';
    if (mood === 'mixed') return scene.pick(['ready', 'ready', scene.pick(STARTING), ugly, scene.pick(UGLY)]);
    return scene.chance(93) ? 'ready' : 'restarted';
  }

  #pod(slot: number, revision: Revision, state: PodState, known: Pod | undefined): Pod {
    const { scene, name, options } = this;
    if (known?.state === state) return known;
    const age = scene.age();
    const since = this.mood === 'young' ? scene.now - 1_000 : scene.ago(age);
    const label = this.hashLabel;
    const isOrphan = scene.chance(2);
    const isMislabelled = scene.chance(2);
    const owner =
      options.source === 'ReplicaSet'
        ? ownerOf({ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: revision.name }, revision.uid)
        : this.ownerOf();
    return {
      uid: known?.uid ?? scene.uid(),
      name:
        options.ordered === true ? `${name}-${slot}` : (known?.name ?? `${revision.name}-${scene.hash(5)}`),
      ordinal: slot,
      revision: revision.hash,
      state,
      at: known?.at ?? Math.max(this.at, since - scene.pick([1, 5, 30]) * 1_000),
      since,
      owners: isOrphan ? [] : owner,
      labels: {
        app: name,
        [label]: isMislabelled ? scene.pick([undefined, 'gone', '']) : this.labelOf(revision),
      },
      images: imagesOf(revision.template),
    };
  }

  /** Pods that end or have ended: beside the others, or, with an identity, in their place. */
  #leaveOver(pods: Pod[], isOrdered: boolean): void {
    const { scene } = this;
    const state = scene.pick(LEFTOVER);
    const slot = isOrdered ? scene.int(Math.max(1, pods.length)) : this.replicas + 1 + scene.int(2);
    if (isOrdered && pods.length === 0) return;
    const at = isOrdered ? (pods[slot]?.ordinal ?? 0) : slot;
    pods.splice(isOrdered ? slot : pods.length, isOrdered ? 1 : 0);
    pods.push(this.#pod(at, scene.pick([this.target, this.stable, this.stable]), state, undefined));
  }

  #catchUp(): void {
    this.observed = this.generation;
    if (this.template === this.target.template) return;
    this.settled = false;
    this.stable = this.target;
    this.target = this.#addRevision(this.changedAt + 500);
    this.place(this.scene.int(3));
  }

  #recreate(): void {
    const { scene } = this;
    this.uid = scene.uid();
    this.at = scene.ago(2);
    const isAdopted = scene.chance(60);
    for (const revision of this.revisions) if (isAdopted) revision.owner = this.uid;
    if (isAdopted && this.options.source === 'ControllerRevision')
      this.pods = this.pods.map((pod) => ({ ...pod, owners: this.ownerOf() }));
    [this.generation, this.observed] = [1, 1];
  }

  #prune(): void {
    const victim = this.revisions.length > 2 && this.scene.chance(80) ? this.revisions[0] : this.target;
    this.revisions = this.revisions.filter((revision) => revision !== victim);
  }

  #restart(): void {
    const { scene, template } = this;
    const at = time(scene.now - 1_000);
    this.write();
    const annotations = { 'kubectl.kubernetes.io/restartedAt': at };
    this.template = { ...template, metadata: { ...(template['metadata'] as JsonObject), annotations } };
    this.settled = false;
    this.stable = this.target;
    this.target = this.#addRevision(scene.now - 500);
    this.place(scene.int(3));
  }

  /** What has gone wrong with revisions in earlier times. */
  #blemish(): void {
    const { scene, revisions } = this;
    const any = scene.pick(revisions);
    const blemish = scene.weighted(tables.blemishes);
    switch (blemish) {
      case 'none':
        return;
      case 'equal': {
        const [hash, uid] = [scene.hash(9), scene.uid()];
        this.revisions.unshift({ ...any, hash, name: `${any.name}2`, uid, number: any.number + 1 });
        return;
      }
      case 'orphan':
        any.owner = scene.pick([null, scene.uid()]);
        return;
      case 'renumbered':
        any.number = revisions.length + 4;
        any.written = scene.ago(scene.age());
        return;
      case 'gone':
        this.revisions = revisions.filter((revision) => revision !== any);
        return;
      default:
        any.fault = blemish;
    }
  }

  #newTemplate(): JsonObject {
    const { scene } = this;
    this.#image += scene.chance(90) ? 1 : 0;
    const image = `shop/web:1.${this.#image}`;
    const app = {
      name: 'app',
      image,
      env: scene.maybe(30, [{ name: 'LEVEL', value: String(scene.int(4)) }]),
      resources: scene.maybe(20, { requests: { cpu: `${1 + scene.int(4)}00m` } }),
    };
    const others = scene.chance(15) ? [{ name: 'c1', image: 'shop/proxy:2' }] : [];
    return {
      metadata: { labels: { app: this.name } },
      spec: { containers: [app, ...others], priorityClassName: scene.maybe(3, 'shop-high') },
    };
  }

  #addRevision(at: number): Revision {
    const { scene } = this;
    const hash = scene.hash(9);
    const numbers = this.revisions.map(({ number }) => number);
    const revision: Revision = {
      name: `${this.name}-${hash}`,
      uid: scene.uid(),
      hash,
      at,
      owner: this.uid,
      template: this.template,
      number: Math.max(0, ...numbers) + 1,
      cause: scene.maybe(40, `image ${imagesOf(this.template)[0] ?? ''}`),
    };
    this.revisions.push(revision);
    return revision;
  }

  #managedFields(manager: string): Json[] {
    const fieldsV1 = { 'f:spec': { 'f:template': { 'f:spec': { 'f:containers': {} } }, 'f:replicas': {} } };
    const operation = manager === 'argocd-controller' ? 'Apply' : 'Update';
    const controller = { manager: 'kube-controller-manager', operation: 'Update', subresource: 'status' };
    return [
      { manager, operation, time: time(this.changedAt), fieldsV1 },
      { ...controller, time: time(this.progressAt), fieldsV1: { 'f:status': {} } },
    ];
  }
}

export interface FleetPlay extends Play {
  fleet: Fleet;
}

/** A play of a fleet, with what its kind says about spec and status. */
export function playOf(
  fleet: Fleet,
  render: () => KubeObject[],
  changes: Record<string, [weight: number, change: () => void]> = {},
): FleetPlay {
  return { fleet, change: () => fleet.change(changes), render };
}
