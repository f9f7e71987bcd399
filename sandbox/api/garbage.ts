import type { ApiCore, ObjectPlace } from '@/sandbox/api/api-core';
import { deleteObject, FOREGROUND, ORPHAN, type Propagation } from '@/sandbox/api/delete-object';
import type { Located, ObjectStore, StoreEvent } from '@/sandbox/api/object-store';
import type { StoredMeta, StoredObject } from '@/sandbox/api/objects/stored-object';
import { updateObject } from '@/sandbox/api/write-object';

/** The user agent of a real garbage collector. */
const MANAGER = 'kube-controller-manager';

/**
 * Deletes objects without a living owner, as a garbage collector and a namespace controller do, but at once.
 * https://kubernetes.io/docs/concepts/architecture/garbage-collection/
 */
export class GarbageCollector {
  readonly #core: ApiCore;
  readonly #store: ObjectStore;
  readonly #queue: StoreEvent[] = [];
  #isRunning = false;

  constructor(core: ApiCore) {
    this.#core = core;
    this.#store = core.store;
    core.store.subscribe((event) => this.#queue.push(event));
  }

  /** Processes all changes since the last call, and those that it makes itself. */
  run(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      for (let event = this.#queue.shift(); event !== undefined; event = this.#queue.shift())
        this.#consider(event);
    } finally {
      this.#isRunning = false;
    }
  }

  #consider({ type, collection, object }: StoreEvent): void {
    const { uid, ownerReferences = [], namespace } = object.metadata;
    if (type === 'DELETED') {
      for (const dependent of this.#store.dependentsOf(uid)) this.#abandon(dependent);
      for (const owner of ownerReferences) this.#waitFor(this.#store.byUid(owner.uid));
      if (namespace !== undefined) this.#finishNamespace(namespace);
      return;
    }
    const located = this.#store.byUid(uid);
    if (located?.object !== object) return;
    if (collection === 'namespaces') {
      this.#emptyNamespace(object);
    } else if (object.metadata.deletionTimestamp !== undefined) {
      this.#orphanDependents(located);
      this.#waitFor(located);
    } else if (ownerReferences.length > 0) {
      this.#abandon(located);
    }
  }

  /** Removes references to deleted owners; an object without a living owner is deleted. */
  #abandon(located: Located): void {
    const { ownerReferences = [], finalizers = [] } = located.object.metadata;
    const living = ownerReferences.filter((owner) => this.#store.byUid(owner.uid) !== undefined);
    if (living.length === ownerReferences.length) return;
    if (living.length > 0) return this.#update(located, (metadata) => (metadata.ownerReferences = living));
    const propagation = finalizers.includes(FOREGROUND) ? 'Foreground' : 'Background';
    this.#delete(located, finalizers.includes(ORPHAN) ? 'Orphan' : propagation);
  }

  #orphanDependents(owner: Located): void {
    const { uid, finalizers = [] } = owner.object.metadata;
    if (!finalizers.includes(ORPHAN)) return;
    for (const dependent of this.#store.dependentsOf(uid))
      this.#update(dependent, (metadata) => {
        metadata.ownerReferences = metadata.ownerReferences?.filter((other) => other.uid !== uid) ?? [];
      });
    this.#release(owner, ORPHAN);
  }

  /** Foreground deletion: first the dependents, and the owner with the last of those that block it. */
  #waitFor(owner: Located | undefined): void {
    if (owner === undefined) return;
    const { uid, finalizers = [], deletionTimestamp } = owner.object.metadata;
    if (deletionTimestamp === undefined || !finalizers.includes(FOREGROUND)) return;
    for (const dependent of this.#store.dependentsOf(uid)) {
      const { metadata } = dependent.object;
      if (metadata.deletionTimestamp !== undefined) continue;
      const hasOwn = this.#store.dependentsOf(metadata.uid).length > 0;
      this.#delete(dependent, hasOwn ? 'Foreground' : 'Background');
    }
    const isHeld = this.#store
      .dependentsOf(uid)
      .flatMap(({ object }) => object.metadata.ownerReferences ?? [])
      .some((reference) => reference.uid === uid && reference.blockOwnerDeletion === true);
    const present = this.#store.byUid(uid);
    if (!isHeld && present !== undefined) this.#release(present, FOREGROUND);
  }

  #emptyNamespace({ metadata: { name, deletionTimestamp } }: StoredObject): void {
    if (deletionTimestamp === undefined) return;
    for (const collection of this.#store.collections())
      for (const object of this.#store.list(collection, name))
        this.#delete({ collection, object }, 'Background');
    this.#finishNamespace(name);
  }

  #finishNamespace(name: string): void {
    const namespace = this.#store.get('namespaces', '', name);
    if (namespace?.metadata.deletionTimestamp === undefined) return;
    const isEmpty = this.#store
      .collections()
      .every((collection) => this.#store.list(collection, name).length === 0);
    if (isEmpty) this.#store.remove('namespaces', namespace);
  }

  #release(located: Located, finalizer: string): void {
    this.#update(located, (metadata) => {
      metadata.finalizers = metadata.finalizers?.filter((other) => other !== finalizer) ?? [];
    });
  }

  #update(located: Located, change: (metadata: StoredMeta) => void): void {
    const place = this.#placeOf(located);
    if (place === undefined) return;
    const version = place.kind.versions[0] ?? '';
    const changed = (present: StoredObject) => {
      change(present.metadata);
      return present;
    };
    updateObject(this.#core, place, changed, {
      manager: MANAGER,
      dryRun: false,
      subresource: '',
      version,
      fieldValidation: 'Ignore',
    });
  }

  #delete(located: Located, propagation: Propagation): void {
    const place = this.#placeOf(located);
    if (place !== undefined) deleteObject(this.#core, place, { propagation });
  }

  /** Undefined if it is no longer there. */
  #placeOf({ collection, object }: Located): ObjectPlace | undefined {
    const { namespace = '', name, uid } = object.metadata;
    const kind = this.#core.kinds.find(collection);
    if (this.#store.get(collection, namespace, name)?.metadata.uid !== uid) return undefined;
    return kind && { kind, namespace, name };
  }
}
