import 'server-only';
import { controllerOf } from '@/lib/kube/object';
import type { PodSummary } from '@/lib/history/pod';
import type { RevisionSource, Template, Workload } from '@/lib/history/workload';
import { nameKey } from '@/lib/kube/name-key';
import type { WorkloadKind } from '@/lib/workloads/kind';
import type { BodyStore } from '@/server/cluster/body-store';
import type { ClusterCache, EventSummary, ResourceState, WorkloadKey } from '@/server/cluster/cache';
import { ChangeQueue } from '@/server/cluster/change-queue';
import { ClusterStores, scopeKey } from '@/server/cluster/cluster-stores';
import { EventIndex } from '@/server/cluster/event-index';
import type { SemanticIds } from '@/server/cluster/ingest';
import { statesOf, type StoreChange } from '@/server/cluster/store-change';

interface IndexedCacheOptions {
  /** The kinds of the table. */
  kinds: readonly WorkloadKind[];
  bodies: BodyStore;
  semantic: SemanticIds;
  states: (namespace: string | undefined) => readonly ResourceState[];
  /** Called with the workloads that changed, at most once per turn of the event loop. */
  onChange: (keys: readonly WorkloadKey[]) => void;
  /** Called with what was thrown between a change and its notification. */
  onError?: (error: unknown) => void;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

/** Adds workloads of kinds that are not in the table; the cache of the table's kinds works without it. */
export interface CacheExtension {
  kinds(): Iterable<WorkloadKind>;
  kindOf(resource: string): WorkloadKind | undefined;
  workloads(): Iterable<Workload>;
  readonly workloadCount: number;
  workloadNamed(key: string): Workload | undefined;
  /** Whether it lists a workload of this uid. */
  lists(uid: string): boolean;
  childrenOf(workload: Workload): readonly Workload[];
  sourcesOf(workload: Workload): readonly RevisionSource[];
  podsOf(workload: Workload): readonly PodSummary[];
  workloadOfSource(uid: string): Workload | undefined;
  /** Its workloads that own the object of this uid, over any number of levels, and that object itself. */
  ownersOf(uid: string): Iterable<Workload>;
  /** Called after the stores have taken in the change. */
  workloadChanged(change: StoreChange<Workload>): void;
  sourceChanged(change: StoreChange<RevisionSource>): void;
  /** Called between changes and their notification. */
  settle(): void;
}

const none: readonly never[] = [];

/** The current state of the cluster, over stores with named indexes. Changes are collected by key. */
export class IndexedCache implements ClusterCache {
  readonly stores: ClusterStores;
  readonly #options: IndexedCacheOptions;
  readonly #events = new EventIndex();
  readonly #versions = new Map<string, number>();
  readonly #changes: ChangeQueue<WorkloadKey>;
  #extension: CacheExtension | undefined;

  constructor(options: IndexedCacheOptions) {
    this.#options = options;
    this.stores = new ClusterStores(options.kinds);
    this.#changes = new ChangeQueue(options.onChange, () => this.#settle());
  }

  extend(extension: CacheExtension): void {
    this.#extension = extension;
  }

  kinds(): readonly WorkloadKind[] {
    return [...this.stores.kinds.values(), ...(this.#extension?.kinds() ?? none)];
  }

  kindOf(resource: string): WorkloadKind | undefined {
    return this.stores.kinds.get(resource) ?? this.#extension?.kindOf(resource);
  }

  *workloads(): Iterable<Workload> {
    yield* this.stores.workloads.indexed('name');
    yield* this.#extension?.workloads() ?? none;
  }

  get workloadCount(): number {
    return this.stores.workloads.keyCount('name') + (this.#extension?.workloadCount ?? 0);
  }

  get sourceCount(): number {
    return this.stores.sources.size;
  }

  get podCount(): number {
    return this.stores.pods.size;
  }

  get eventCount(): number {
    return this.#events.size;
  }

  /** Objects of the API server, children and owners of revisions among them. */
  get objectCount(): number {
    return this.stores.workloads.size + this.sourceCount + this.podCount + this.eventCount;
  }

  workload(resource: string, namespace: string, name: string): Workload | undefined {
    return this.#workloadNamed(nameKey({ resource, namespace, name }));
  }

  #workloadNamed(key: string): Workload | undefined {
    return this.stores.workloadNamed(key) ?? this.#extension?.workloadNamed(key);
  }

  childrenOf(workload: Workload): readonly Workload[] {
    const kind = this.stores.kinds.get(workload.resource);
    if (kind === undefined) return this.#extension?.childrenOf(workload) ?? none;
    const index = kind.pods.owner === 'generated' ? 'generator' : 'parent';
    return this.stores.workloads.by(index, nameKey(workload));
  }

  sourcesOf(workload: Workload): readonly RevisionSource[] {
    if (!this.stores.kinds.has(workload.resource)) return this.#extension?.sourcesOf(workload) ?? none;
    return this.stores.sources.by('controller', workload.uid);
  }

  orphansOf(workload: Workload): readonly RevisionSource[] {
    return this.stores.orphansOf(workload);
  }

  podsOf(workload: Workload): readonly PodSummary[] {
    const kind = this.stores.kinds.get(workload.resource);
    if (kind === undefined) return this.#extension?.podsOf(workload) ?? none;
    const own = this.#podsControlledBy(workload);
    switch (kind.pods.owner) {
      case 'workload':
      case 'descendant':
        return own;
      case 'child':
        return this.#podsOfChildren(workload);
      case 'generated':
        return this.childrenOf(workload).flatMap((generated) => this.podsOf(generated));
      case 'source': {
        const bySource = this.sourcesOf(workload).flatMap((source) => this.#podsControlledBy(source));
        return own.length === 0 ? bySource : [...own, ...bySource];
      }
      default:
        return kind.pods.owner satisfies never;
    }
  }

  #podsControlledBy({ uid }: { uid: string }): readonly PodSummary[] {
    return this.stores.pods.by('controller', uid);
  }

  /**
   * A child belongs to the workload when the workload controls it, or controls a pod of it. A pod whose
   * controller is already deleted belongs to the workload that it names.
   */
  #podsOfChildren(workload: Workload): PodSummary[] {
    const pods = this.stores.pods
      .by('parent', nameKey(workload))
      .filter(
        (pod) => !this.stores.workloads.has(pod.controllerUid ?? '') && pod.createdAt >= workload.createdAt,
      );
    const owners = new Set([workload.uid]);
    let remaining = this.childrenOf(workload);
    for (;;) {
      const own = Map.groupBy(remaining, (child) => owners.has(controllerOf(child.owners)?.uid ?? ''));
      const found = own.get(true);
      if (found === undefined) return pods;
      remaining = own.get(false) ?? none;
      for (const pod of found.flatMap((child) => this.#podsControlledBy(child))) {
        pods.push(pod);
        owners.add(pod.uid);
      }
    }
  }

  revisionsOfComponent(namespace: string, component: string): readonly RevisionSource[] {
    return this.stores.sources.by('component', scopeKey(component, namespace));
  }

  workloadOfSource({ uid }: RevisionSource): Workload | undefined {
    return this.#extension?.workloadOfSource(uid);
  }

  eventsOf(uid: string): readonly EventSummary[] {
    return this.#events.of(uid);
  }

  template(bodyId: string): Template | undefined {
    return this.#options.bodies.read(bodyId);
  }

  templateProblem(bodyId: string): string | null {
    return this.#options.bodies.problemOf(bodyId);
  }

  isPacked(bodyId: string): boolean {
    return this.#options.bodies.isPacked(bodyId);
  }

  states(namespace?: string): readonly ResourceState[] {
    return this.#options.states(namespace);
  }

  /** The version of the parent for a child, whose changes count there alone. */
  versionOf(workload: Workload): number {
    const parent = this.stores.parentKeyOf(workload);
    const uid = parent === null ? workload.uid : this.#workloadNamed(parent)?.uid;
    return this.#versions.get(uid ?? '') ?? 0;
  }

  changeWorkload(change: StoreChange<Workload>): void {
    this.#releaseReplaced(change);
    this.#setEditedAt(change);
    if (change.type === 'deleted') {
      // The last state of a deleted object may have no finalizers any more.
      if (change.previous.leavesDependents === true) change.value.leavesDependents = true;
      this.stores.workloads.delete(change.value);
    } else this.stores.workloads.put(change.value);
    this.#extension?.workloadChanged(change);
    // Its parent, generator or owner may be another now.
    for (const workload of statesOf(change)) {
      this.#markWorkloadOrParent(workload);
      this.#markOwners(controllerOf(workload.owners)?.uid);
    }
  }

  changeSource(change: StoreChange<RevisionSource>): void {
    this.#releaseReplaced(change);
    if (change.type === 'deleted') this.stores.sources.delete(change.value);
    else this.stores.sources.put(change.value);
    this.#extension?.sourceChanged(change);
    this.#markControllers(change);
  }

  changePod(change: StoreChange<PodSummary>): void {
    if (change.type === 'deleted') this.stores.pods.delete(change.value);
    else this.stores.pods.put(change.value);
    this.#markControllers(change);
    const parents = statesOf(change).flatMap((pod) => this.stores.parentKeysOfPod(pod));
    for (const parent of new Set(parents)) this.#markNamed(parent);
  }

  addEvent(event: EventSummary): void {
    this.#events.add(event);
    const { uid } = event.object;
    this.#markController(this.stores.pods.get(uid)?.controllerUid ?? uid);
  }

  removeEvent(event: EventSummary): void {
    this.#events.remove(event);
  }

  /**
   * managedFields keep their times when an edit only removes something: then the edit was made just before it
   * arrived.
   */
  #setEditedAt(change: StoreChange<Workload>): void {
    if (change.type !== 'updated') return;
    const { value, previous } = change;
    const { now = Date.now } = this.#options;
    const seen = value.generation > previous.generation ? new Date(now()).toISOString() : previous.editedAt;
    if (seen != null && seen > (value.editedAt ?? '')) value.editedAt = seen;
  }

  /** Each stored value holds its body once; the previous value releases it. */
  #releaseReplaced(change: StoreChange<{ bodyId: string }>): void {
    if (change.type === 'added') return;
    this.#release(change.previous.bodyId);
    if (change.type === 'deleted' && change.value !== change.previous) this.#release(change.value.bodyId);
  }

  #release(bodyId: string): void {
    this.#options.bodies.release(bodyId);
    if (!this.#options.bodies.has(bodyId)) this.#options.semantic.forget(bodyId);
  }

  /** A change may move an object from one controller to another; mostly it has the same one before and after. */
  #markControllers(change: StoreChange<{ controllerUid: string | null }>): void {
    const uids = statesOf(change).map(({ controllerUid }) => controllerUid);
    for (const uid of new Set(uids)) this.#markController(uid);
  }

  /** Marks the workload behind a controller: that workload itself, or the owner of a source object. */
  #markController(uid: string | null): void {
    const { workloads, sources } = this.stores;
    const workload = workloads.get(uid) ?? workloads.get(sources.get(uid)?.controllerUid);
    if (workload !== undefined) this.#markWorkloadOrParent(workload);
    this.#markOwners(uid);
  }

  #markOwners(uid: string | null | undefined): void {
    if (uid == null || this.#extension === undefined) return;
    for (const owner of this.#extension.ownersOf(uid)) this.markChanged(owner);
  }

  /** Changes of a child are changes of its parent alone; the extension marks workloads of its own kinds. */
  #markWorkloadOrParent(workload: Workload): void {
    const parent = this.stores.parentKeyOf(workload);
    if (parent !== null) this.#markNamed(parent);
    else if (this.stores.kinds.has(workload.resource)) this.markChanged(workload);
  }

  #markNamed(key: string): void {
    const workload = this.stores.workloadNamed(key);
    if (workload !== undefined) this.markChanged(workload);
  }

  /** Notes a change of a listed workload, or of one that was listed until now. */
  markChanged(workload: Workload): void {
    this.#bumpVersion(workload);
    for (const key of this.stores.generatorKeysOf(workload)) {
      const generator = this.stores.workloadNamed(key);
      if (generator !== undefined) this.#bumpVersion(generator);
    }
  }

  /** Settles the extension soon, also if nothing changes until then. */
  settleSoon(): void {
    this.#changes.schedule();
  }

  #bumpVersion({ uid, resource, namespace, name, leavesDependents }: Workload): void {
    const isListed = this.stores.workloads.has(uid) || this.#extension?.lists(uid) === true;
    if (isListed) this.#versions.set(uid, (this.#versions.get(uid) ?? 0) + 1);
    else this.#versions.delete(uid);
    this.#changes.add(uid, { uid, resource, namespace, name, leavesDependents });
  }

  /** An error in here suppresses neither this notification nor later ones. */
  #settle(): void {
    try {
      this.#extension?.settle();
    } catch (error) {
      this.#options.onError?.(error);
    }
  }
}
