import { setImmediate as nextTurn } from 'node:timers/promises';
import type { KubeObject } from '@/lib/kube/object';
import { Reflector, type ReflectorState } from '@/server/cluster/reflector';
import { keyOf, type ObjectKey, type ReflectorChange } from '@/server/cluster/reflector-store';
import type { Transport } from '@/server/cluster/transport';
import type { Logger } from '@/server/shared/log';
import { collectionPath, type ObjectType } from '@/sandbox/controllers/runtime/resource-type';

/** A change; `before` is missing for a new object, `object` for a deleted one. */
export type ObjectChange<T> =
  { readonly object: T; readonly before: T | undefined } | { readonly object: undefined; readonly before: T };

export interface InformerOptions {
  readonly type: ObjectType;
  readonly transport: Pick<Transport, 'text' | 'stream' | 'server'>;
  readonly random: () => number;
  readonly log: Logger;
}

/** Iterations of the event loop to wait for an event; on loopback it takes a few. */
const EVENT_LOOP_TURNS_MAX = 100;

/**
 * All objects of a kind: what a watch delivered, and what was written locally since, so that no controller
 * acts twice on an outdated state. Objects come without managedFields; writing them back without leaves those
 * of the API server unchanged.
 */
export class Informer<T extends KubeObject> {
  readonly #options: InformerOptions;
  readonly #reflector: Reflector<T>;
  readonly #objects = new Map<ObjectKey, T>();
  /** By their common prefix: sorted keys, until one is added or removed. */
  readonly #keys = new Map<string, readonly ObjectKey[]>();
  readonly #listeners: ((change: ObjectChange<T>) => void)[] = [];
  /** Locally written versions that the watch has not delivered yet. */
  readonly #unobservedWrites = new Map<ObjectKey, string>();
  /** Local deletions that the watch has not delivered yet, by uid, with the time of the last list before. */
  readonly #unobservedDeletions = new Map<string, { key: ObjectKey; listedAt: number | undefined }>();
  readonly #synced = Promise.withResolvers<void>();

  constructor(options: InformerOptions) {
    this.#options = options;
    this.#reflector = new Reflector<T>({
      transport: options.transport,
      path: collectionPath(options.type),
      ingest: (object) => this.ingest(object),
      onChange: (change) => this.#applyChange(change),
      onState: (state) => this.#follow(state),
      random: options.random,
      log: options.log,
    });
  }

  get type(): ObjectType {
    return this.#options.type;
  }

  /** Resolves when the first complete list is stored. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  start(): void {
    this.#reflector.start();
  }

  async stop(): Promise<void> {
    await this.#reflector.stop();
    this.#synced.resolve();
  }

  /** Called for every change, written locally or delivered by the watch; it must only record a key. */
  onChange(listener: (change: ObjectChange<T>) => void): void {
    this.#listeners.push(listener);
  }

  get(key: ObjectKey): T | undefined {
    return this.#objects.get(key);
  }

  all(): T[] {
    return this.#under('');
  }

  /** In the order of their names. */
  inNamespace(namespace: string | undefined): T[] {
    return this.#under(`${namespace ?? '-'}/`);
  }

  /** Converts JSON of the API server to an object. */
  ingest(object: KubeObject): T {
    const { managedFields: _managedFields, ...metadata } = object.metadata;
    const withoutManagers = { ...object, metadata };
    // Every object with a spec has a status, if only an empty one.
    return (
      object.spec === undefined ? withoutManagers : { ...withoutManagers, status: object.status ?? {} }
    ) as T;
  }

  /** Stores the API server's response to a write, unless the watch delivered it first. */
  addWritten(object: T): void {
    const { uid, resourceVersion } = object.metadata;
    if (
      !isAfter(resourceVersion, this.#reflector.state.resourceVersion) ||
      this.#unobservedDeletions.has(uid)
    )
      return;
    const key = keyOf(object);
    const known = this.#objects.get(key);
    if (!isAfter(resourceVersion, known?.metadata.resourceVersion)) return;
    this.#put(key, object);
    this.#unobservedWrites.set(key, resourceVersion);
    this.#notify({ object, before: known });
  }

  /** Removes an object that the API server deleted for this process. */
  removeDeleted(object: KubeObject): void {
    const key = keyOf(object);
    const known = this.#objects.get(key);
    if (known?.metadata.uid !== object.metadata.uid) return;
    this.#remove(key);
    this.#unobservedWrites.delete(key);
    this.#unobservedDeletions.set(object.metadata.uid, { key, listedAt: this.#reflector.state.lastSyncAt });
    this.#notify({ object: undefined, before: known });
  }

  /** Waits briefly until the watch has delivered all local writes, and everything up to `version`. */
  async hasCaughtUp(version: string | undefined, signal: AbortSignal): Promise<boolean> {
    for (let turn = 0; turn < EVENT_LOOP_TURNS_MAX && !signal.aborted; turn += 1) {
      if (this.#isCaughtUp(version)) return true;
      await nextTurn();
    }
    return false;
  }

  #isCaughtUp(version: string | undefined): boolean {
    this.#confirm();
    if (this.#unobservedWrites.size > 0 || this.#unobservedDeletions.size > 0) return false;
    return version === undefined || !isAfter(version, this.#reflector.state.resourceVersion);
  }

  #applyChange(change: ReflectorChange<T>): void {
    if (change.type === 'deleted') this.#applyDeletion(change.key, change.uid, change.value);
    else this.#applyPut(change.key, change.value);
  }

  #applyPut(key: ObjectKey, value: T): void {
    const { uid, resourceVersion } = value.metadata;
    if (this.#unobservedDeletions.has(uid)) return;
    const unobservedVersion = this.#unobservedWrites.get(key);
    if (unobservedVersion !== undefined && !isAfter(unobservedVersion, resourceVersion))
      this.#unobservedWrites.delete(key);
    const cached = this.#objects.get(key);
    // The local write was delivered already.
    if (cached?.metadata.uid === uid && !isAfter(resourceVersion, cached.metadata.resourceVersion)) return;
    this.#put(key, value);
    this.#notify({ object: value, before: cached });
  }

  #applyDeletion(key: ObjectKey, uid: string, last: T): void {
    this.#unobservedDeletions.delete(uid);
    if (this.#objects.get(key)?.metadata.uid !== uid) return;
    this.#remove(key);
    this.#unobservedWrites.delete(key);
    this.#notify({ object: undefined, before: last });
  }

  #under(prefix: string): T[] {
    let keys = this.#keys.get(prefix);
    if (keys === undefined) {
      keys = [...this.#objects.keys()].filter((key) => key.startsWith(prefix)).sort();
      this.#keys.set(prefix, keys);
    }
    return keys.map((key) => this.#objects.get(key) as T);
  }

  #put(key: ObjectKey, object: T): void {
    if (!this.#objects.has(key)) this.#forgetKeys(key);
    this.#objects.set(key, object);
  }

  #remove(key: ObjectKey): void {
    if (this.#objects.delete(key)) this.#forgetKeys(key);
  }

  #forgetKeys(key: ObjectKey): void {
    this.#keys.delete('');
    this.#keys.delete(key.slice(0, key.indexOf('/') + 1));
  }

  #notify(change: ObjectChange<T>): void {
    for (const listener of this.#listeners) listener(change);
  }

  #follow(state: ReflectorState): void {
    if (state.synced) this.#synced.resolve();
    if (state.phase === 'watching') this.#confirm();
  }

  /** After a new list no event may arrive for local writes: the list included them. */
  #confirm(): void {
    const { store, state } = this.#reflector;
    for (const [key, version] of this.#unobservedWrites) {
      if (isAfter(version, state.resourceVersion)) continue;
      this.#unobservedWrites.delete(key);
      const cached = store.get(key);
      const before = this.#objects.get(key);
      if (cached === undefined) {
        this.#remove(key);
        if (before !== undefined) this.#notify({ object: undefined, before });
      } else {
        this.#put(key, cached);
        this.#notify({ object: cached, before });
      }
    }
    for (const [uid, { key, listedAt }] of this.#unobservedDeletions)
      if (state.lastSyncAt !== listedAt && store.get(key)?.metadata.uid !== uid)
        this.#unobservedDeletions.delete(uid);
  }
}

/** Versions of one API server compare as numbers; every version is later than none. */
function isAfter(a: string, b: string | undefined): boolean {
  return b === undefined || b === '' || BigInt(a) > BigInt(b);
}
