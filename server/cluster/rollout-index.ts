import 'server-only';
import { type ReleaseRecord } from '@/lib/rollout/release-record';
import { type BesideObject, type RolloutObject } from '@/lib/rollout/system';
import { type StoreChange } from '@/server/cluster/cluster-cache';
import { type WorkloadKey } from '@/server/cluster/cache';

/** A rollout, or a record of one, that has changed. */
export interface RolloutKey {
  resource: string;
  namespace: string;
  name: string;
}

/** What is known of the rollouts of every system right now. Returned objects are shared: never change them. */
export interface RolloutCache {
  rollouts(): Iterable<RolloutObject>;
  rollout(resource: string, namespace: string, name: string): RolloutObject | undefined;
  /** Those that name the workload, by name: one, unless somebody has got around the rules of the system. */
  rolloutsOf(workload: Omit<WorkloadKey, 'uid'>): readonly RolloutObject[];
  /** Those that move pods between the workload and another one. */
  rolloutsAround(workload: Omit<WorkloadKey, 'uid'>): readonly RolloutObject[];
  besideOf(rollout: RolloutObject): readonly BesideObject[];
  records(): Iterable<ReleaseRecord>;
  record(resource: string, namespace: string, name: string): ReleaseRecord | undefined;
  /** Records that a system keeps under the name of a rollout. */
  recordsOf(resource: string, namespace: string, rollout: string): readonly ReleaseRecord[];
  /** Rises with every change of the rollout and of what stands beside it; its workload has a version of its own. */
  versionOf(rollout: RolloutObject): number;
  /** When its present state was first seen, in milliseconds since the epoch: not every write leaves its time in an object. */
  seenAt(rollout: RolloutObject): number;
}

/** Indexes by name, by workload and by what belongs to a rollout. Changes are gathered into keys. */
export class RolloutIndex implements RolloutCache {
  readonly #rollouts = new Map<string, RolloutObject>();
  readonly #byWorkload = new Map<string, Map<string, RolloutObject>>();
  /** Rollouts by their other workloads. */
  readonly #byOther = new Map<string, Map<string, RolloutObject>>();
  readonly #beside = new Map<string, BesideObject>();
  /** Rollouts by what they name beside them. */
  readonly #byBeside = new Map<string, Map<string, RolloutObject>>();
  readonly #records = new Map<string, ReleaseRecord>();
  readonly #recordsByRollout = new Map<string, Map<string, ReleaseRecord>>();
  readonly #versions = new Map<string, number>();
  readonly #dirty = new Map<string, RolloutKey>();
  readonly #seen = new Map<string, number>();
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

  rolloutsAround(workload: Omit<WorkloadKey, 'uid'>): readonly RolloutObject[] {
    return byName(this.#byOther.get(keyOf(workload)));
  }

  besideOf({ namespace, beside }: RolloutObject): readonly BesideObject[] {
    return beside.flatMap(
      ({ resource, name }) => this.#beside.get(keyOf({ resource, namespace, name })) ?? [],
    );
  }

  records(): Iterable<ReleaseRecord> {
    return this.#records.values();
  }

  record(resource: string, namespace: string, name: string): ReleaseRecord | undefined {
    return this.#records.get(keyOf({ resource, namespace, name }));
  }

  recordsOf(resource: string, namespace: string, rollout: string): readonly ReleaseRecord[] {
    return [...(this.#recordsByRollout.get(keyOf({ resource, namespace, name: rollout }))?.values() ?? [])];
  }

  versionOf({ uid }: RolloutObject): number {
    return this.#versions.get(uid) ?? 0;
  }

  seenAt({ uid }: RolloutObject): number {
    return this.#seen.get(uid) ?? this.#now();
  }

  changeRollout(change: StoreChange<RolloutObject>): void {
    const rollout = change.value;
    const key = keyOf(rollout);
    if (change.type !== 'added') this.#forgetRollout(change.previous);
    if (change.type === 'deleted') {
      // One of the same name may have been made again before the deletion was noticed.
      if (this.#rollouts.get(key)?.uid === rollout.uid) this.#rollouts.delete(key);
      this.#versions.delete(rollout.uid);
      this.#seen.delete(rollout.uid);
      this.#note(rollout);
      return;
    }
    this.#rollouts.set(key, rollout);
    this.#seen.set(rollout.uid, this.#now());
    for (const link of workloadKeys(rollout)) enter(this.#byWorkload, link, rollout);
    for (const link of otherKeys(rollout)) enter(this.#byOther, link, rollout);
    for (const { resource, name } of rollout.beside)
      enter(this.#byBeside, keyOf({ resource, namespace: rollout.namespace, name }), rollout);
    this.#mark(rollout);
  }

  changeBeside(change: StoreChange<BesideObject>): void {
    const key = keyOf(change.value);
    if (change.type !== 'deleted') this.#beside.set(key, change.value);
    else if (this.#beside.get(key)?.uid === change.value.uid) this.#beside.delete(key);
    for (const rollout of this.#byBeside.get(key)?.values() ?? []) this.#mark(rollout);
  }

  changeRecord(change: StoreChange<ReleaseRecord>): void {
    const record = change.value;
    const key = keyOf(record);
    if (change.type !== 'added') leave(this.#recordsByRollout, rolloutKeyOf(change.previous), record.uid);
    if (change.type === 'deleted') {
      if (this.#records.get(key)?.uid === record.uid) this.#records.delete(key);
    } else {
      this.#records.set(key, record);
      enter(this.#recordsByRollout, rolloutKeyOf(record), record);
    }
    this.#note(record);
  }

  /** Notes that workloads, or pods of theirs, have changed. */
  noteWorkloads(keys: readonly WorkloadKey[]): void {
    if (this.#byWorkload.size === 0 && this.#byOther.size === 0) return;
    for (const key of keys) {
      for (const rollout of this.#byWorkload.get(keyOf(key))?.values() ?? []) this.#note(rollout);
      for (const rollout of this.#byOther.get(keyOf(key))?.values() ?? []) this.#note(rollout);
    }
  }

  #forgetRollout(rollout: RolloutObject): void {
    for (const link of workloadKeys(rollout)) leave(this.#byWorkload, link, rollout.uid);
    for (const link of otherKeys(rollout)) leave(this.#byOther, link, rollout.uid);
    for (const { resource, name } of rollout.beside)
      leave(this.#byBeside, keyOf({ resource, namespace: rollout.namespace, name }), rollout.uid);
  }

  #mark(rollout: RolloutObject): void {
    this.#versions.set(rollout.uid, (this.#versions.get(rollout.uid) ?? 0) + 1);
    this.#note(rollout);
  }

  #note({ resource, namespace, name }: RolloutKey): void {
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

function rolloutKeyOf({ resource, namespace, rollout }: ReleaseRecord): string {
  return keyOf({ resource, namespace, name: rollout ?? '' });
}

function enter<T extends { uid: string }>(index: Map<string, Map<string, T>>, key: string, value: T): void {
  const entries = index.get(key);
  if (entries === undefined) index.set(key, new Map([[value.uid, value]]));
  else entries.set(value.uid, value);
}

function leave<T>(index: Map<string, Map<string, T>>, key: string, uid: string): void {
  const entries = index.get(key);
  entries?.delete(uid);
  if (entries?.size === 0) index.delete(key);
}
