import { type ApiCore } from '@/sandbox/api/api-core';
import { deleteObject, type Propagation } from '@/sandbox/api/delete-object';
import { type Located, type StoreEvent } from '@/sandbox/api/object-store';
import { type OwnerEntry, type StoredObject } from '@/sandbox/api/objects/stored-object';
import { updateObject } from '@/sandbox/api/update-object';

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';
/** The user agent of a real garbage collector. */
const MANAGER = 'kube-controller-manager';

/**
 * Deletes objects without a living owner, as a garbage collector and a namespace controller do, but at once.
 * https://kubernetes.io/docs/concepts/architecture/garbage-collection/
 */
export class GarbageCollector {
  readonly #core: ApiCore;
  readonly #queue: StoreEvent[] = [];
  #isRunning = false;

  constructor(core: ApiCore) {
    this.#core = core;
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
      for (const dependent of this.#core.store.dependentsOf(uid)) this.#abandon(dependent);
      for (const owner of ownerReferences) this.#waitFor(this.#core.store.byUid(owner.uid));
      if (namespace !== undefined) this.#finishNamespace(namespace);
      return;
    }
    const located = this.#core.store.byUid(uid);
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
  #abandon({ collection, object }: Located): void {
    const { ownerReferences = [], finalizers = [] } = object.metadata;
    const isThere = (owner: OwnerEntry) => this.#core.store.byUid(owner.uid) !== undefined;
    const living = ownerReferences.filter(isThere);
    if (living.length === ownerReferences.length) return;
    if (living.length > 0) {
      this.#update(collection, object, (present) => {
        present.metadata.ownerReferences = living;
      });
    } else {
      this.#delete(
        collection,
        object,
        finalizers.includes(ORPHAN)
          ? 'Orphan'
          : finalizers.includes(FOREGROUND)
            ? 'Foreground'
            : 'Background',
      );
    }
  }

  #orphanDependents({ collection, object }: Located): void {
    const { uid, finalizers = [] } = object.metadata;
    if (!finalizers.includes(ORPHAN)) return;
    for (const dependent of this.#core.store.dependentsOf(uid)) {
      this.#update(dependent.collection, dependent.object, ({ metadata }) => {
        metadata.ownerReferences = (metadata.ownerReferences ?? []).filter((owner) => owner.uid !== uid);
      });
    }
    this.#release(collection, object, ORPHAN);
  }

  /** Foreground deletion: first the dependents, and the owner with the last of those that block it. */
  #waitFor(owner: Located | undefined): void {
    if (owner === undefined) return;
    const { uid, finalizers = [], deletionTimestamp } = owner.object.metadata;
    if (deletionTimestamp === undefined || !finalizers.includes(FOREGROUND)) return;
    const dependents = this.#core.store.dependentsOf(uid);
    for (const { collection, object } of dependents) {
      if (object.metadata.deletionTimestamp !== undefined) continue;
      const hasOwn = this.#core.store.dependentsOf(object.metadata.uid).length > 0;
      this.#delete(collection, object, hasOwn ? 'Foreground' : 'Background');
    }
    const isHeld = this.#core.store
      .dependentsOf(uid)
      .some(({ object }) =>
        object.metadata.ownerReferences?.some(
          (owner) => owner.uid === uid && owner.blockOwnerDeletion === true,
        ),
      );
    const present = this.#core.store.byUid(uid);
    if (!isHeld && present !== undefined) this.#release(present.collection, present.object, FOREGROUND);
  }

  #emptyNamespace(namespace: StoredObject): void {
    if (namespace.metadata.deletionTimestamp === undefined) return;
    const { name } = namespace.metadata;
    for (const collection of this.#core.store.collections()) {
      for (const object of this.#core.store.list(collection, name))
        this.#delete(collection, object, 'Background');
    }
    this.#finishNamespace(name);
  }

  #finishNamespace(name: string): void {
    const namespace = this.#core.store.get('namespaces', '', name);
    if (namespace?.metadata.deletionTimestamp === undefined) return;
    const isEmpty = this.#core.store
      .collections()
      .every((collection) => this.#core.store.list(collection, name).length === 0);
    if (isEmpty) this.#core.store.remove('namespaces', namespace);
  }

  #release(collection: string, object: StoredObject, finalizer: string): void {
    this.#update(collection, object, ({ metadata }) => {
      metadata.finalizers = (metadata.finalizers ?? []).filter((other) => other !== finalizer);
    });
  }

  #update(collection: string, { metadata }: StoredObject, change: (present: StoredObject) => void): void {
    const kind = this.#core.kinds.findByCollection(collection);
    if (kind === undefined) return;
    updateObject(
      this.#core,
      kind,
      metadata.namespace ?? '',
      metadata.name,
      (present) => {
        change(present);
        return present;
      },
      {
        manager: MANAGER,
        dryRun: false,
        subresource: '',
        version: kind.versions[0] ?? '',
        fieldValidation: 'Ignore',
      },
    );
  }

  #delete(collection: string, { metadata }: StoredObject, propagation: Propagation): void {
    const kind = this.#core.kinds.findByCollection(collection);
    const present = this.#core.store.get(collection, metadata.namespace ?? '', metadata.name);
    if (kind === undefined || present?.metadata.uid !== metadata.uid) return;
    deleteObject(this.#core, kind, metadata.namespace ?? '', metadata.name, {
      propagation,
      gracePeriodSeconds: undefined,
      preconditions: {},
      dryRun: false,
    });
  }
}
