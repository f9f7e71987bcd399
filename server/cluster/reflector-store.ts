import { type KubeObject } from '@/lib/kube/object';

/** `namespace/name`; `-/name` where objects have no namespace. */
export type ObjectKey = string;

/**
 * What became different in the store. Every value that ingest returned appears in exactly one change as `value`, and
 * in at most one later change as `previous`, so whoever counts references can pair them. The `value` of a deletion is
 * the last state the API server sent; it is `previous` itself when the deletion was only noticed by comparing lists.
 * Another uid under the same name is a deletion and an addition.
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

export interface ObjectVersion {
  readonly uid: string;
  readonly resourceVersion: string;
}

export interface ReflectorStoreOptions<T> {
  readonly ingest: (object: KubeObject) => T;
  readonly onChange: (change: ReflectorChange<T>) => void;
  /** A throw out of `ingest` or `onChange`; the object is passed over until its next version. */
  readonly onFailure: (key: ObjectKey, error: unknown) => void;
}

/** The objects of one collection, each with the version it was taken in at. */
export class ReflectorStore<T> {
  readonly values = new Map<ObjectKey, T>();
  /** Also of objects that could not be taken in, so that they are not tried for ever. */
  readonly #versions = new Map<ObjectKey, ObjectVersion>();
  readonly #options: ReflectorStoreOptions<T>;

  constructor(options: ReflectorStoreOptions<T>) {
    this.#options = options;
  }

  /** Takes in a state; one that is known already changes nothing. Returns its key. */
  put(object: KubeObject): ObjectKey {
    const { uid, resourceVersion } = object.metadata;
    const key = keyOf(object);
    const known = this.#versions.get(key);
    if (known?.uid === uid && known.resourceVersion === resourceVersion) return key;
    if (known !== undefined && known.uid !== uid) this.#drop(key);
    this.#versions.set(key, { uid, resourceVersion });
    const taken = this.#ingest(key, object);
    if (taken === undefined) return key;
    const { value } = taken;
    const had = this.values.has(key);
    const previous = this.values.get(key) as T;
    this.values.set(key, value);
    this.#emit(had ? { type: 'updated', key, uid, value, previous } : { type: 'added', key, uid, value });
    return key;
  }

  /** Takes out an object, with the last state it had. One that is not known, or has another uid, changes nothing. */
  remove(object: KubeObject): void {
    const key = keyOf(object);
    if (this.#versions.get(key)?.uid === object.metadata.uid) this.#drop(key, object);
  }

  /** Takes out everything but what a complete list named. */
  retain(keys: ReadonlySet<ObjectKey>): void {
    for (const key of [...this.#versions.keys()]) if (!keys.has(key)) this.#drop(key);
  }

  /** What the store holds now, to be compared with a list taken later. */
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
