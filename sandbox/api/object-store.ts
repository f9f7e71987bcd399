import { keyOf, namespaceOf, type StoredObject } from '@/sandbox/api/objects/stored-object';

/** One change, in the order of resource versions. */
export interface StoreEvent {
  readonly version: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** The collection: `deployments.apps`. */
  readonly collection: string;
  readonly key: string;
  /** After the change; of a deletion the last state, with the version of the deletion. */
  readonly object: StoredObject;
  readonly previous: StoredObject | undefined;
}

export interface Located {
  readonly collection: string;
  readonly object: StoredObject;
}

/** All that a restart restores. */
export interface StoreSnapshot {
  readonly version: number;
  readonly collections: Readonly<Record<string, readonly StoredObject[]>>;
}

/** Number of changes stored for watches and for the later pages of lists. */
const HISTORY_MAX = 20_000;

/**
 * The objects of all collections under one counter of resource versions, and the latest changes. A stored
 * object is never changed. A change and its notification are one step: no reader sees one without the other.
 */
export class ObjectStore {
  readonly #collections = new Map<string, Map<string, StoredObject>>();
  readonly #sortedKeys = new Map<string, string[]>();
  readonly #byUid = new Map<string, Located>();
  readonly #dependents = new Map<string, Map<string, Located>>();
  readonly #listeners = new Set<(event: StoreEvent) => void>();
  /** Version of the latest change of each collection. */
  readonly #latest = new Map<string, number>();
  readonly #historyMax: number;
  #history: StoreEvent[] = [];
  #version = 1;
  /** Changes up to this version are dropped. */
  #compacted = 1;

  constructor(historyMax = HISTORY_MAX) {
    this.#historyMax = historyMax;
  }

  get version(): number {
    return this.#version;
  }

  get compactedVersion(): number {
    return this.#compacted;
  }

  /** Version of the latest change of a collection since the start; 0 without one. */
  latestChange(collection: string): number {
    return this.#latest.get(collection) ?? 0;
  }

  get(collection: string, namespace: string, name: string): StoredObject | undefined {
    return this.#collections.get(collection)?.get(keyOf(namespace, name));
  }

  byUid(uid: string): Located | undefined {
    return this.#byUid.get(uid);
  }

  /** Objects with an owner reference to `uid`, whatever else they refer to. */
  dependentsOf(uid: string): Located[] {
    return [...(this.#dependents.get(uid)?.values() ?? [])];
  }

  /** In the order of their keys; with a namespace only its objects. */
  list(collection: string, namespace = ''): StoredObject[] {
    const objects = this.#collections.get(collection);
    if (objects === undefined) return [];
    const prefix = namespace === '' ? '' : `${namespace}/`;
    const found: StoredObject[] = [];
    for (const key of this.#keys(collection, objects)) {
      const object = key.startsWith(prefix) ? objects.get(key) : undefined;
      if (object !== undefined) found.push(object);
    }
    return found;
  }

  /** Like {@link list}, at an earlier version. Undefined if that has expired. */
  listAt(version: number, collection: string, namespace = ''): StoredObject[] | undefined {
    if (version === this.#version) return this.list(collection, namespace);
    if (version < this.#compacted) return undefined;
    const objects = new Map(this.list(collection, namespace).map((object) => [keyOfObject(object), object]));
    for (const event of (this.since(version) ?? []).reverse()) {
      if (event.collection !== collection) continue;
      if (namespace !== '' && namespaceOf(event.object) !== namespace) continue;
      if (event.previous === undefined) objects.delete(event.key);
      else objects.set(event.key, event.previous);
    }
    return [...objects.keys()].sort().flatMap((key) => objects.get(key) ?? []);
  }

  collections(): string[] {
    return [...this.#collections.keys()];
  }

  /** Changes after `version`, oldest first. Undefined if some of them have expired. */
  since(version: number): StoreEvent[] | undefined {
    if (version < this.#compacted) return undefined;
    let start = this.#history.length;
    while (start > 0 && (this.#history[start - 1]?.version ?? 0) > version) start -= 1;
    return this.#history.slice(start);
  }

  /** Stores a new object or the next state of one, under the next resource version. */
  put(collection: string, next: StoredObject): StoredObject {
    const key = keyOfObject(next);
    const previous = this.#collections.get(collection)?.get(key);
    this.#version += 1;
    const object = withVersion(next, this.#version);
    this.#place(collection, key, object, previous);
    const type = previous === undefined ? 'ADDED' : 'MODIFIED';
    this.#announce({ version: this.#version, type, collection, key, object, previous });
    return object;
  }

  /** Removes an object; `last` is the state that watches get. */
  remove(collection: string, last: StoredObject): StoredObject {
    const key = keyOfObject(last);
    const previous = this.#collections.get(collection)?.get(key);
    this.#version += 1;
    const object = withVersion(last, this.#version);
    if (previous !== undefined) this.#displace(collection, key, previous);
    this.#announce({ version: this.#version, type: 'DELETED', collection, key, object, previous });
    return object;
  }

  /** Called after every change. Returns the function that unsubscribes. */
  subscribe(listener: (event: StoreEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Drops all changes: a watch or a later page from before answers 410. */
  compact(): void {
    this.#history = [];
    this.#compacted = this.#version;
  }

  snapshot(): StoreSnapshot {
    const collections = Object.fromEntries(this.collections().map((name) => [name, this.list(name)]));
    return { version: this.#version, collections };
  }

  /** Fills an empty store. `gap` skips versions that may have been issued after the last save. */
  restore(snapshot: StoreSnapshot, gap: number): void {
    this.#version = snapshot.version + gap;
    this.compact();
    for (const [collection, objects] of Object.entries(snapshot.collections))
      for (const object of objects) this.#place(collection, keyOfObject(object), object, undefined);
  }

  #keys(collection: string, objects: Map<string, StoredObject>): string[] {
    const known = this.#sortedKeys.get(collection);
    if (known !== undefined) return known;
    const keys = [...objects.keys()].sort();
    this.#sortedKeys.set(collection, keys);
    return keys;
  }

  #place(collection: string, key: string, object: StoredObject, previous: StoredObject | undefined): void {
    if (previous !== undefined) this.#displace(collection, key, previous, true);
    const objects = this.#collections.get(collection) ?? new Map<string, StoredObject>();
    this.#collections.set(collection, objects);
    if (previous === undefined) this.#sortedKeys.delete(collection);
    objects.set(key, object);
    const located = { collection, object };
    const { uid, ownerReferences = [] } = object.metadata;
    this.#byUid.set(uid, located);
    for (const owner of ownerReferences) {
      const dependents = this.#dependents.get(owner.uid) ?? new Map<string, Located>();
      this.#dependents.set(owner.uid, dependents.set(uid, located));
    }
  }

  #displace(collection: string, key: string, object: StoredObject, isReplaced = false): void {
    const { uid, ownerReferences = [] } = object.metadata;
    this.#byUid.delete(uid);
    for (const owner of ownerReferences) {
      const dependents = this.#dependents.get(owner.uid);
      dependents?.delete(uid);
      if (dependents?.size === 0) this.#dependents.delete(owner.uid);
    }
    if (isReplaced) return;
    this.#collections.get(collection)?.delete(key);
    this.#sortedKeys.delete(collection);
  }

  #announce(event: StoreEvent): void {
    this.#latest.set(event.collection, event.version);
    this.#history.push(event);
    if (this.#history.length > this.#historyMax) this.#trim();
    for (const listener of [...this.#listeners]) listener(event);
  }

  /** A fifth at a time, so that most changes cost nothing. */
  #trim(): void {
    const dropped = this.#history.splice(0, Math.ceil(this.#historyMax / 5));
    this.#compacted = dropped.at(-1)?.version ?? this.#compacted;
  }
}

/** Lists are sorted by it. */
export function keyOfObject(object: StoredObject): string {
  return keyOf(namespaceOf(object), object.metadata.name);
}

function withVersion(object: StoredObject, version: number): StoredObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
}
