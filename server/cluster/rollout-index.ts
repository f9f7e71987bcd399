import 'server-only';
import { type ControllerRecord } from '@/lib/rollout/controller-record';
import { type RelatedObject, type RolloutObject } from '@/lib/rollout/rollout-facts';
import { type StoreChange } from '@/server/cluster/store-change';
import { type WorkloadKey } from '@/server/cluster/cache';

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

/** Indexes by name, by workload and by the objects of a rollout. Changes are collected by key. */
export class RolloutIndex implements RolloutCache {
  readonly #rollouts = new Map<string, RolloutObject>();
  readonly #byWorkload = new Map<string, Map<string, RolloutObject>>();
  /** Rollouts by their other workloads. */
  readonly #byOtherWorkload = new Map<string, Map<string, RolloutObject>>();
  readonly #relatedObjects = new Map<string, RelatedObject>();
  /** Rollouts by the other objects that they name. */
  readonly #byRelatedObject = new Map<string, Map<string, RolloutObject>>();
  readonly #records = new Map<string, ControllerRecord>();
  readonly #recordsByRollout = new Map<string, Map<string, ControllerRecord>>();
  readonly #versions = new Map<string, number>();
  readonly #dirty = new Map<string, RolloutKey>();
  readonly #observedAt = new Map<string, number>();
  readonly #onChange: (keys: readonly RolloutKey[]) => void;
  readonly #now: () => number;
  #flushing = false;

  /** `onChange` is called at most once per turn of the event loop. */
  constructor(onChange: (keys: readonly RolloutKey[]) => void, now: () => number = Date.now) {
    this.#onChange = onChange;
    this.#now = now;
  }

  rollouts(): Iterable<RolloutObject> {
    return this.#rollouts.values();
  }

  rollout(resource: string, namespace: string, name: string): RolloutObject | undefined {
    return this.#rollouts.get(keyOf({ resource, namespace, name }));
  }

  rolloutsOf(workload: Omit<WorkloadKey, 'uid'>): readonly RolloutObject[] {
    return byName(this.#byWorkload.get(keyOf(workload)));
  }

  rolloutsInvolving(workload: Omit<WorkloadKey, 'uid'>): readonly RolloutObject[] {
    return byName(this.#byOtherWorkload.get(keyOf(workload)));
  }

  relatedObjectsOf({ namespace, relatedObjects: beside }: RolloutObject): readonly RelatedObject[] {
    return beside.flatMap(
      ({ resource, name }) => this.#relatedObjects.get(keyOf({ resource, namespace, name })) ?? [],
    );
  }

  records(): Iterable<ControllerRecord> {
    return this.#records.values();
  }

  record(resource: string, namespace: string, name: string): ControllerRecord | undefined {
    return this.#records.get(keyOf({ resource, namespace, name }));
  }

  recordsOf(resource: string, namespace: string, rollout: string): readonly ControllerRecord[] {
    return [...(this.#recordsByRollout.get(keyOf({ resource, namespace, name: rollout }))?.values() ?? [])];
  }

  versionOf({ uid }: RolloutObject): number {
    return this.#versions.get(uid) ?? 0;
  }

  observedAt({ uid }: RolloutObject): number {
    return this.#observedAt.get(uid) ?? this.#now();
  }

  changeRollout(change: StoreChange<RolloutObject>): void {
    const rollout = change.value;
    const key = keyOf(rollout);
    if (change.type !== 'added') this.#removeRollout(change.previous);
    if (change.type === 'deleted') {
      // One of the same name may have been created before the deletion was noticed.
      if (this.#rollouts.get(key)?.uid === rollout.uid) this.#rollouts.delete(key);
      this.#versions.delete(rollout.uid);
      this.#observedAt.delete(rollout.uid);
      this.#enqueue(rollout);
      return;
    }
    this.#rollouts.set(key, rollout);
    this.#observedAt.set(rollout.uid, this.#now());
    for (const link of workloadKeys(rollout)) addTo(this.#byWorkload, link, rollout);
    for (const link of otherKeys(rollout)) addTo(this.#byOtherWorkload, link, rollout);
    for (const { resource, name } of rollout.relatedObjects)
      addTo(this.#byRelatedObject, keyOf({ resource, namespace: rollout.namespace, name }), rollout);
    this.#markChanged(rollout);
  }

  changeRelatedObject(change: StoreChange<RelatedObject>): void {
    const key = keyOf(change.value);
    if (change.type !== 'deleted') this.#relatedObjects.set(key, change.value);
    else if (this.#relatedObjects.get(key)?.uid === change.value.uid) this.#relatedObjects.delete(key);
    for (const rollout of this.#byRelatedObject.get(key)?.values() ?? []) this.#markChanged(rollout);
  }

  changeRecord(change: StoreChange<ControllerRecord>): void {
    const record = change.value;
    const key = keyOf(record);
    if (change.type !== 'added')
      removeFrom(this.#recordsByRollout, rolloutKeyOf(change.previous), record.uid);
    if (change.type === 'deleted') {
      if (this.#records.get(key)?.uid === record.uid) this.#records.delete(key);
    } else {
      this.#records.set(key, record);
      addTo(this.#recordsByRollout, rolloutKeyOf(record), record);
    }
    this.#enqueue(record);
  }

  /** Notes that workloads, or pods of theirs, have changed. */
  markWorkloadsChanged(keys: readonly WorkloadKey[]): void {
    if (this.#byWorkload.size === 0 && this.#byOtherWorkload.size === 0) return;
    for (const key of keys) {
      for (const rollout of this.#byWorkload.get(keyOf(key))?.values() ?? []) this.#enqueue(rollout);
      for (const rollout of this.#byOtherWorkload.get(keyOf(key))?.values() ?? []) this.#enqueue(rollout);
    }
  }

  #removeRollout(rollout: RolloutObject): void {
    for (const link of workloadKeys(rollout)) removeFrom(this.#byWorkload, link, rollout.uid);
    for (const link of otherKeys(rollout)) removeFrom(this.#byOtherWorkload, link, rollout.uid);
    for (const { resource, name } of rollout.relatedObjects)
      removeFrom(this.#byRelatedObject, keyOf({ resource, namespace: rollout.namespace, name }), rollout.uid);
  }

  #markChanged(rollout: RolloutObject): void {
    this.#versions.set(rollout.uid, (this.#versions.get(rollout.uid) ?? 0) + 1);
    this.#enqueue(rollout);
  }

  #enqueue({ resource, namespace, name }: RolloutKey): void {
    const key = { resource, namespace, name };
    this.#dirty.set(keyOf(key), key);
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => {
      this.#flushing = false;
      const keys = [...this.#dirty.values()];
      this.#dirty.clear();
      this.#onChange(keys);
    });
  }
}

function keyOf({ resource, namespace, name }: RolloutKey): string {
  return `${resource}/${namespace}/${name}`;
}

function workloadKeys({ namespace, workload: { resource, name } }: RolloutObject): string[] {
  return resource === null ? [] : [keyOf({ resource, namespace, name })];
}

function otherKeys({ namespace, others = [] }: RolloutObject): string[] {
  return others.map(({ resource, name }) => keyOf({ resource, namespace, name }));
}

function byName(found: ReadonlyMap<string, RolloutObject> | undefined): readonly RolloutObject[] {
  return found === undefined ? [] : [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function rolloutKeyOf({ resource, namespace, rollout }: ControllerRecord): string {
  return keyOf({ resource, namespace, name: rollout ?? '' });
}

function addTo<T extends { uid: string }>(index: Map<string, Map<string, T>>, key: string, value: T): void {
  const entries = index.get(key);
  if (entries === undefined) index.set(key, new Map([[value.uid, value]]));
  else entries.set(value.uid, value);
}

function removeFrom<T>(index: Map<string, Map<string, T>>, key: string, uid: string): void {
  const entries = index.get(key);
  entries?.delete(uid);
  if (entries?.size === 0) index.delete(key);
}
