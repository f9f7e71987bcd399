import type { KubeObject } from '@/lib/kube/object';

/** `namespace/name`; `-/name` where objects have no namespace. */
export type ObjectKey = string;

/**
 * A change of the store. Every value that ingest returned appears in exactly one change as `value`, and in at
 * most one later change as `previous`, so that reference counters can pair them. The `value` of a deletion is
 * the last state the API server sent; it is `previous` itself when the deletion was only noticed by comparing
 * lists. Another uid under the same name is a deletion and an addition.
 */
export type ReflectorChange<T> =
  | { readonly type: 'added'; readonly key: ObjectKey; readonly uid: string; readonly value: T }
  | {
      readonly type: 'updated';
      readonly key: ObjectKey;
      readonly uid: string;
      readonly value: T;
      readonly previous: T;
    }
  | {
      readonly type: 'deleted';
      readonly key: ObjectKey;
      readonly uid: string;
      readonly value: T;
      readonly previous: T;
    };

interface ObjectVersion {
  readonly uid: string;
  readonly resourceVersion: string;
}

interface ReflectorStoreOptions<T> {
  readonly ingest: (object: KubeObject) => T;
  readonly onChange: (change: ReflectorChange<T>) => void;
  /** An error thrown by `ingest` or `onChange`; the object is skipped until its next version. */
  readonly onFailure: (key: ObjectKey, error: unknown) => void;
}

/** The objects of one collection, each with its ingested version. */
export class ReflectorStore<T> {
  readonly values = new Map<ObjectKey, T>();
  /** Also of objects that failed to ingest, so that they are not tried again and again. */
  readonly #versions = new Map<ObjectKey, ObjectVersion>();
  readonly #options: ReflectorStoreOptions<T>;

  constructor(options: ReflectorStoreOptions<T>) {
    this.#options = options;
  }

  /** Ingests a state; a known version changes nothing. Returns its key. */
  put(object: KubeObject): ObjectKey {
    const { uid, resourceVersion } = object.metadata;
    const key = keyOf(object);
    const known = this.#versions.get(key);
    if (known?.uid === uid && known.resourceVersion === resourceVersion) return key;
    if (known !== undefined && known.uid !== uid) this.#drop(key);
    this.#versions.set(key, { uid, resourceVersion });
    const ingested = this.#ingest(key, object);
    if (ingested === undefined) return key;
    const { value } = ingested;
    const isKnown = this.values.has(key);
    const previous = this.values.get(key) as T;
    this.values.set(key, value);
    this.#emit(isKnown ? { type: 'updated', key, uid, value, previous } : { type: 'added', key, uid, value });
    return key;
  }

  /** Removes an object, with its last state. An unknown object, or one with another uid, changes nothing. */
  remove(object: KubeObject): void {
    const key = keyOf(object);
    if (this.#versions.get(key)?.uid === object.metadata.uid) this.#drop(key, object);
  }

  /** Removes everything but the objects of a complete list. */
  retain(keys: ReadonlySet<ObjectKey>): void {
    for (const key of [...this.#versions.keys()]) if (!keys.has(key)) this.#drop(key);
  }

  /** The current content of the store, for comparison with a later list. */
  versions(): Map<ObjectKey, ObjectVersion> {
    return new Map(this.#versions);
  }

  #drop(key: ObjectKey, lastState?: KubeObject): void {
    const uid = this.#versions.get(key)?.uid ?? '';
    this.#versions.delete(key);
    if (!this.values.has(key)) return;
    const previous = this.values.get(key) as T;
    const last = lastState === undefined ? undefined : this.#ingest(key, lastState);
    this.values.delete(key);
    this.#emit({ type: 'deleted', key, uid, value: last === undefined ? previous : last.value, previous });
  }

  #ingest(key: ObjectKey, object: KubeObject): { value: T } | undefined {
    try {
      return { value: this.#options.ingest(object) };
    } catch (error) {
      this.#options.onFailure(key, error);
      return undefined;
    }
  }

  #emit(change: ReflectorChange<T>): void {
    try {
      this.#options.onChange(change);
    } catch (error) {
      this.#options.onFailure(change.key, error);
    }
  }
}

export function keyOf({ metadata }: Pick<KubeObject, 'metadata'>): ObjectKey {
  return `${metadata.namespace ?? '-'}/${metadata.name}`;
}
