import { setImmediate as nextTurn } from 'node:timers/promises';
import { type KubeObject } from '@/lib/kube/object';
import { parseObjectList } from '@/server/cluster/object-list';
import { Reflector, type ReflectorState } from '@/server/cluster/reflector';
import { keyOf, type ObjectKey, type ReflectorChange } from '@/server/cluster/reflector-store';
import { type Transport } from '@/server/cluster/transport';
import { type Logger } from '@/server/log';
import { collectionPath, type ResourceType } from '@/server/sandbox/controllers/engine/resource-type';

/** What became different; `before` is missing for a new object, `object` for one that is gone. */
export type ObjectChange<T> =
  { readonly object: T; readonly before: T | undefined } | { readonly object: undefined; readonly before: T };

export interface ObjectStoreOptions {
  readonly type: ResourceType;
  readonly transport: Pick<Transport, 'text' | 'stream' | 'server'>;
  readonly random: () => number;
  readonly log: Logger;
}

/** Turns of the event loop to wait for an event; on loopback it takes a few. */
const TURNS_MAX = 100;
const METADATA_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

/**
 * All objects of a kind: what a watch told, and what was written from here since, so that nobody acts twice on a
 * state that is about to be replaced. Objects come without managedFields; to write them back without leaves those of
 * the API server as they are.
 */
export class ObjectStore<T extends KubeObject> {
  readonly #options: ObjectStoreOptions;
  readonly #reflector: Reflector<T>;
  readonly #objects = new Map<ObjectKey, T>();
  /** By the beginning that they share: sorted keys, as long as none is added or removed. */
  readonly #keys = new Map<string, readonly ObjectKey[]>();
  readonly #listeners: ((change: ObjectChange<T>) => void)[] = [];
  /** Versions written from here that the watch has not told yet. */
  readonly #unheard = new Map<ObjectKey, string>();
  /** By uid what was deleted from here and the watch has not told yet, with the time of the list before. */
  readonly #gone = new Map<string, { key: ObjectKey; listedAt: number | undefined }>();
  readonly #synced = Promise.withResolvers<void>();

  constructor(options: ObjectStoreOptions) {
    this.#options = options;
    this.#reflector = new Reflector<T>({
      transport: options.transport,
      path: collectionPath(options.type),
      ingest: (object) => this.ingest(object),
      onChange: (change) => this.#take(change),
      onState: (state) => this.#follow(state),
      random: options.random,
      log: options.log,
    });
  }

  get type(): ResourceType {
    return this.#options.type;
  }

  /** Resolves when the first complete list has been taken in. */
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

  /** Called for every change, be it written from here or told by the watch; it must do no more than note a key. */
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
  in(namespace: string | undefined): T[] {
    return this.#under(`${namespace ?? '-'}/`);
  }

  /** Makes an object of the API server's out of its JSON. */
  ingest(object: KubeObject): T {
    const { managedFields: _managedFields, ...metadata } = object.metadata;
    const whole = { ...object, metadata };
    // Whoever has a spec has a status, if only an empty one.
    return (object.spec === undefined ? whole : { ...whole, status: object.status ?? {} }) as T;
  }

  /** Takes in what the API server answered to a write, unless the watch was quicker. */
  learn(object: T): void {
    const { uid, resourceVersion } = object.metadata;
    if (!isAfter(resourceVersion, this.#reflector.state.resourceVersion) || this.#gone.has(uid)) return;
    const key = keyOf(object);
    const known = this.#objects.get(key);
    if (!isAfter(resourceVersion, known?.metadata.resourceVersion)) return;
    this.#put(key, object);
    this.#unheard.set(key, resourceVersion);
    this.#tell({ object, before: known });
  }

  /** Takes out what the API server has deleted on our behalf. */
  forget(object: KubeObject): void {
    const key = keyOf(object);
    const known = this.#objects.get(key);
    if (known?.metadata.uid !== object.metadata.uid) return;
    this.#remove(key);
    this.#unheard.delete(key);
    this.#gone.set(object.metadata.uid, { key, listedAt: this.#reflector.state.lastSyncAt });
    this.#tell({ object: undefined, before: known });
  }

  /** Waits a little until the watch has told everything written from here, and everything up to `version`. */
  async caughtUp(version: string | undefined, signal: AbortSignal): Promise<boolean> {
    for (let turn = 0; turn < TURNS_MAX && !signal.aborted; turn += 1) {
      if (this.#isCaughtUp(version)) return true;
      await nextTurn();
    }
    return false;
  }

  /** Whether the API server holds exactly these objects at exactly these versions; costs a list. */
  async isCurrent(signal: AbortSignal): Promise<boolean> {
    const path = collectionPath(this.#options.type);
    const text = await this.#options.transport.text({ method: 'GET', path, accept: METADATA_ONLY, signal });
    const { items } = parseObjectList(text);
    const isSame = ({ metadata }: KubeObject) =>
      this.#objects.get(keyOf({ metadata }))?.metadata.resourceVersion === metadata.resourceVersion;
    return items.length === this.#objects.size && items.every(isSame);
  }

  #isCaughtUp(version: string | undefined): boolean {
    this.#confirm();
    if (this.#unheard.size > 0 || this.#gone.size > 0) return false;
    return version === undefined || !isAfter(version, this.#reflector.state.resourceVersion);
  }

  #take(change: ReflectorChange<T>): void {
    if (change.type === 'deleted') this.#takeOut(change.key, change.uid, change.value);
    else this.#takeIn(change.key, change.value);
  }

  #takeIn(key: ObjectKey, value: T): void {
    const { uid, resourceVersion } = value.metadata;
    if (this.#gone.has(uid)) return;
    const awaited = this.#unheard.get(key);
    if (awaited !== undefined && !isAfter(awaited, resourceVersion)) this.#unheard.delete(key);
    const held = this.#objects.get(key);
    // What was written from here has been told already.
    if (held?.metadata.uid === uid && !isAfter(resourceVersion, held.metadata.resourceVersion)) return;
    this.#put(key, value);
    this.#tell({ object: value, before: held });
  }

  #takeOut(key: ObjectKey, uid: string, last: T): void {
    this.#gone.delete(uid);
    if (this.#objects.get(key)?.metadata.uid !== uid) return;
    this.#remove(key);
    this.#unheard.delete(key);
    this.#tell({ object: undefined, before: last });
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

  #tell(change: ObjectChange<T>): void {
    for (const listener of this.#listeners) listener(change);
  }

  #follow(state: ReflectorState): void {
    if (state.synced) this.#synced.resolve();
    if (state.phase === 'watching') this.#confirm();
  }

  /** After a new list no event may come for what was written from here: the list has told it all. */
  #confirm(): void {
    const { store, state } = this.#reflector;
    for (const [key, version] of this.#unheard) {
      if (isAfter(version, state.resourceVersion)) continue;
      this.#unheard.delete(key);
      const held = store.get(key);
      const before = this.#objects.get(key);
      if (held === undefined) {
        this.#remove(key);
        if (before !== undefined) this.#tell({ object: undefined, before });
      } else {
        this.#put(key, held);
        this.#tell({ object: held, before });
      }
    }
    for (const [uid, { key, listedAt }] of this.#gone)
      if (state.lastSyncAt !== listedAt && store.get(key)?.metadata.uid !== uid) this.#gone.delete(uid);
  }
}

/** Versions of one API server compare as numbers; everything is after none. */
export function isAfter(a: string, b: string | undefined): boolean {
  return b === undefined || b === '' || BigInt(a) > BigInt(b);
}
