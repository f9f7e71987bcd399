/** The keys by which an index finds an object; none leaves the object out. */
type Indexer<T> = (object: T) => readonly string[];

/** The objects of one key: a map only where there are several, since most keys have one. */
type Bucket<T> = T | Map<string, T>;

interface Index<T> {
  readonly keysOf: Indexer<T>;
  readonly buckets: Map<string, Bucket<T>>;
}

/**
 * Objects by uid, and by the keys of named indexers, as client-go's `Indexer`
 * (https://pkg.go.dev/k8s.io/client-go/tools/cache#Indexers). An indexer must give the same keys for an object as
 * long as the store has it.
 */
export class IndexedStore<T extends { readonly uid: string }, Name extends string> {
  readonly #objects = new Map<string, T>();
  readonly #indexes: Record<Name, Index<T>>;

  constructor(indexers: Readonly<Record<Name, Indexer<T>>>) {
    const entries = Object.entries<Indexer<T>>(indexers).map(([name, keysOf]): [string, Index<T>] => [
      name,
      { keysOf, buckets: new Map() },
    ]);
    this.#indexes = Object.fromEntries(entries) as Record<Name, Index<T>>;
  }

  get size(): number {
    return this.#objects.size;
  }

  has(uid: string): boolean {
    return this.#objects.has(uid);
  }

  get(uid: string | null | undefined): T | undefined {
    return this.#objects.get(uid ?? '');
  }

  values(): Iterable<T> {
    return this.#objects.values();
  }

  /** The objects of a key, the one that got it last at the end. */
  by(name: Name, key: string): readonly T[] {
    const bucket = this.#indexes[name].buckets.get(key);
    if (bucket === undefined) return none;
    return bucket instanceof Map ? [...bucket.values()] : [bucket];
  }

  first(name: Name, key: string): T | undefined {
    const bucket = this.#indexes[name].buckets.get(key);
    return bucket instanceof Map ? bucket.values().next().value : bucket;
  }

  /** All objects of an index, once for each of their keys. */
  *indexed(name: Name): Iterable<T> {
    for (const bucket of this.#indexes[name].buckets.values()) {
      if (bucket instanceof Map) yield* bucket.values();
      else yield bucket;
    }
  }

  keyCount(name: Name): number {
    return this.#indexes[name].buckets.size;
  }

  /** Adds an object, or replaces the one of the same uid. */
  put(object: T): void {
    const previous = this.#objects.get(object.uid);
    this.#objects.set(object.uid, object);
    for (const name in this.#indexes) {
      const { keysOf, buckets } = this.#indexes[name];
      const keys = keysOf(object);
      if (previous !== undefined) {
        for (const key of keysOf(previous)) if (!keys.includes(key)) removeFrom(buckets, key, object.uid);
      }
      for (const key of keys) addTo(buckets, key, object);
    }
  }

  /** Removes the object of this uid; an unknown one changes nothing. */
  delete({ uid }: { uid: string }): void {
    const previous = this.#objects.get(uid);
    if (previous === undefined) return;
    this.#objects.delete(uid);
    for (const name in this.#indexes) {
      const { keysOf, buckets } = this.#indexes[name];
      for (const key of keysOf(previous)) removeFrom(buckets, key, uid);
    }
  }
}

const none: readonly never[] = [];

function addTo<T extends { readonly uid: string }>(
  buckets: Map<string, Bucket<T>>,
  key: string,
  object: T,
): void {
  const bucket = buckets.get(key);
  if (bucket instanceof Map) bucket.set(object.uid, object);
  else if (bucket === undefined || bucket.uid === object.uid) buckets.set(key, object);
  else
    buckets.set(
      key,
      new Map([
        [bucket.uid, bucket],
        [object.uid, object],
      ]),
    );
}

function removeFrom<T extends { readonly uid: string }>(
  buckets: Map<string, Bucket<T>>,
  key: string,
  uid: string,
): void {
  const bucket = buckets.get(key);
  if (bucket === undefined) return;
  if (bucket instanceof Map) {
    bucket.delete(uid);
    if (bucket.size === 0) buckets.delete(key);
  } else if (bucket.uid === uid) buckets.delete(key);
}
