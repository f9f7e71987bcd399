import 'server-only';
import { nameKey } from '@/lib/kube/name-key';
import type { ControllerRecord } from '@/lib/rollout/controller-record';
import type { RelatedObject, RolloutObject } from '@/lib/rollout/rollout-facts';
import type { WorkloadKey } from '@/server/cluster/cache';
import { ChangeQueue } from '@/server/cluster/change-queue';
import { IndexedStore } from '@/server/cluster/indexed-store';
import type { StoreChange } from '@/server/cluster/store-change';

/** A rollout, or a record of one, that has changed. */
export interface RolloutKey {
  resource: string;
  namespace: string;
  name: string;
}

/** The current rollouts of every system. Returned objects are shared: never change them. */
export interface RolloutCache {
  rollouts(): Iterable<RolloutObject>;
  rollout(resource: string, namespace: string, name: string): RolloutObject | undefined;
  /** Those that name the workload, by name: one, unless a user got around the rules of the system. */
  rolloutsOf(workload: Omit<WorkloadKey, 'uid'>): readonly RolloutObject[];
  /** Those that move pods between the workload and another one. */
  rolloutsInvolving(workload: Omit<WorkloadKey, 'uid'>): readonly RolloutObject[];
  relatedObjectsOf(rollout: RolloutObject): readonly RelatedObject[];
  records(): Iterable<ControllerRecord>;
  record(resource: string, namespace: string, name: string): ControllerRecord | undefined;
  /** Records that a system keeps under the name of a rollout. */
  recordsOf(resource: string, namespace: string, rollout: string): readonly ControllerRecord[];
  /**
   * Increases with every change of the rollout and of the objects that it names; its workload has a version
   * of its own.
   */
  versionOf(rollout: RolloutObject): number;
  /**
   * When its current state was first observed, in milliseconds since the epoch: not every write leaves its
   * time in an object.
   */
  observedAt(rollout: RolloutObject): number;
}

/** The stores of rollouts, their records and the objects that they name. Changes are collected by key. */
export class RolloutIndex implements RolloutCache {
  readonly #rollouts = new IndexedStore<
    RolloutObject,
    'name' | 'workload' | 'otherWorkload' | 'relatedObject'
  >({
    name: (rollout) => [nameKey(rollout)],
    workload: ({ namespace, workload: { resource, name } }) =>
      resource === null ? [] : [nameKey({ resource, namespace, name })],
    otherWorkload: ({ namespace, others = [] }) => others.map((other) => nameKey({ ...other, namespace })),
    relatedObject: ({ namespace, relatedObjects }) =>
      relatedObjects.map((related) => nameKey({ ...related, namespace })),
  });
  readonly #relatedObjects = new IndexedStore<RelatedObject, 'name'>({
    name: (related) => [nameKey(related)],
  });
  readonly #records = new IndexedStore<ControllerRecord, 'name' | 'rollout'>({
    name: (record) => [nameKey(record)],
    rollout: ({ resource, namespace, rollout }) => [nameKey({ resource, namespace, name: rollout ?? '' })],
  });
  readonly #versions = new Map<string, number>();
  readonly #observedAt = new Map<string, number>();
  readonly #changes: ChangeQueue<RolloutKey>;
  readonly #now: () => number;

  /** `onChange` is called at most once per turn of the event loop. */
  constructor(onChange: (keys: readonly RolloutKey[]) => void, now: () => number = Date.now) {
    this.#changes = new ChangeQueue(onChange);
    this.#now = now;
  }

  /** Rollouts, the objects that they name, and records. */
  get objectCount(): number {
    return this.#rollouts.size + this.#relatedObjects.size + this.#records.size;
  }

  rollouts(): Iterable<RolloutObject> {
    return this.#rollouts.values();
  }

  rollout(resource: string, namespace: string, name: string): RolloutObject | undefined {
    return this.#rollouts.by('name', nameKey({ resource, namespace, name })).at(-1);
  }

  rolloutsOf(workload: Omit<WorkloadKey, 'uid'>): readonly RolloutObject[] {
    // Each row of every list has this question, and most clusters have no rollouts.
    if (this.#rollouts.size === 0) return [];
    return byName(this.#rollouts.by('workload', nameKey(workload)));
  }

  rolloutsInvolving(workload: Omit<WorkloadKey, 'uid'>): readonly RolloutObject[] {
    return byName(this.#rollouts.by('otherWorkload', nameKey(workload)));
  }

  relatedObjectsOf({ namespace, relatedObjects }: RolloutObject): readonly RelatedObject[] {
    return relatedObjects.flatMap(
      (related) => this.#relatedObjects.by('name', nameKey({ ...related, namespace })).at(-1) ?? [],
    );
  }

  records(): Iterable<ControllerRecord> {
    return this.#records.values();
  }

  record(resource: string, namespace: string, name: string): ControllerRecord | undefined {
    return this.#records.by('name', nameKey({ resource, namespace, name })).at(-1);
  }

  recordsOf(resource: string, namespace: string, rollout: string): readonly ControllerRecord[] {
    return this.#records.by('rollout', nameKey({ resource, namespace, name: rollout }));
  }

  versionOf({ uid }: RolloutObject): number {
    return this.#versions.get(uid) ?? 0;
  }

  observedAt({ uid }: RolloutObject): number {
    return this.#observedAt.get(uid) ?? this.#now();
  }

  changeRollout({ type, value: rollout }: StoreChange<RolloutObject>): void {
    if (type === 'deleted') {
      this.#rollouts.delete(rollout);
      this.#versions.delete(rollout.uid);
      this.#observedAt.delete(rollout.uid);
      this.#enqueue(rollout);
      return;
    }
    this.#rollouts.put(rollout);
    this.#observedAt.set(rollout.uid, this.#now());
    this.#markChanged(rollout);
  }

  changeRelatedObject({ type, value: related }: StoreChange<RelatedObject>): void {
    if (type === 'deleted') this.#relatedObjects.delete(related);
    else this.#relatedObjects.put(related);
    for (const rollout of this.#rollouts.by('relatedObject', nameKey(related))) this.#markChanged(rollout);
  }

  changeRecord({ type, value: record }: StoreChange<ControllerRecord>): void {
    if (type === 'deleted') this.#records.delete(record);
    else this.#records.put(record);
    this.#enqueue(record);
  }

  /** Notes that workloads, or pods of theirs, have changed. */
  markWorkloadsChanged(keys: readonly WorkloadKey[]): void {
    if (this.#rollouts.size === 0) return;
    for (const key of keys) {
      for (const rollout of this.#rollouts.by('workload', nameKey(key))) this.#enqueue(rollout);
      for (const rollout of this.#rollouts.by('otherWorkload', nameKey(key))) this.#enqueue(rollout);
    }
  }

  #markChanged(rollout: RolloutObject): void {
    this.#versions.set(rollout.uid, (this.#versions.get(rollout.uid) ?? 0) + 1);
    this.#enqueue(rollout);
  }

  #enqueue({ resource, namespace, name }: RolloutKey): void {
    const key = { resource, namespace, name };
    this.#changes.add(nameKey(key), key);
  }
}

function byName(found: readonly RolloutObject[]): readonly RolloutObject[] {
  return found.length < 2 ? found : found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
