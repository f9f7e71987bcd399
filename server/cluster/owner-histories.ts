import 'server-only';
import type { PodSummary } from '@/lib/history/pod';
import type { RevisionSource, Workload } from '@/lib/history/workload';
import { controllerOf, groupOf } from '@/lib/kube/object';
import { nameKey } from '@/lib/kube/name-key';
import { matchesSelector, parseLabelSelector } from '@/lib/kube/selector';
import type { WorkloadKind } from '@/lib/workloads/kind';
import { type ClusterStores, scopeKey } from '@/server/cluster/cluster-stores';
import type { CacheExtension, IndexedCache } from '@/server/cluster/indexed-cache';
import { IndexedStore } from '@/server/cluster/indexed-store';
import type { OwnerType } from '@/server/cluster/owner-discovery';
import { type MissingOwner, OwnerIndex, type OwnerReadState } from '@/server/cluster/owner-index';
import {
  createPlaceholder,
  ownerUnknownGroupOf,
  sourceGroupOf,
  unownedKind,
} from '@/server/cluster/placeholder';
import type { StoreChange } from '@/server/cluster/store-change';

interface OwnerHistoriesOptions {
  /** The read state of the owners of revisions that no kind of the table has. Absent: all of them are being read. */
  readStateOf?: (owner: OwnerType, namespace: string) => OwnerReadState;
  /** A revision names a kind of owner for the first time. */
  onNewType?: () => void;
}

const none: readonly never[] = [];

/** Owners of owners: real chains have two or three steps. */
const OWNERS_MAX = 8;

/**
 * The histories of ControllerRevisions that belong to no workload of the table's kinds: those of owners of any
 * kind, of workloads that are missing, and of no owner.
 */
export class OwnerHistories implements CacheExtension {
  readonly #cache: IndexedCache;
  readonly #stores: ClusterStores;
  readonly #options: OwnerHistoriesOptions;
  readonly #index: OwnerIndex;
  /** By the id of their resource. */
  readonly #kinds = new Map([[unownedKind.resource.id, unownedKind]]);
  /** Owners and placeholders. */
  readonly #listed = new IndexedStore<Workload, 'name'>({ name: (workload) => [nameKey(workload)] });
  /** Namespaces whose revisions without a controller may have another claimant now. */
  readonly #scopesToClaim = new Set<string>();
  /** Controllers of kinds of the table that own revisions but are missing themselves, as far as observed. */
  readonly #unknown = new Set<string>();
  /** Those whose kind has not been read yet. */
  readonly #pending = new Set<string>();

  constructor(cache: IndexedCache, options: OwnerHistoriesOptions = {}) {
    this.#cache = cache;
    this.#stores = cache.stores;
    this.#options = options;
    this.#index = new OwnerIndex({
      groupOf: sourceGroupOf,
      ownerUnknownGroupOf,
      readStateOf: options.readStateOf ?? (() => 'reading'),
      objectOf: (uid) => this.#objectOf(uid),
      createPlaceholder,
      show: (workload) => this.#show(workload),
      hide: (workload) => this.#hide(workload),
    });
  }

  kinds(): Iterable<WorkloadKind> {
    return this.#kinds.values();
  }

  kindOf(resource: string): WorkloadKind | undefined {
    return this.#kinds.get(resource);
  }

  /** Adds a kind of owners that was discovered in the cluster. */
  addKind(kind: WorkloadKind): void {
    this.#kinds.set(kind.resource.id, kind);
  }

  /** The caller has removed its objects before. */
  removeKind(resource: string): void {
    this.#kinds.delete(resource);
  }

  /** The kinds of owners that revisions name and no kind of the table has. */
  types(): readonly OwnerType[] {
    return this.#index.types();
  }

  /** Owners that should have an object, and have none. */
  missing(): Iterable<MissingOwner> {
    return this.#index.missing();
  }

  /** The API server has no such owner. */
  markDeleted(uid: string): void {
    this.#index.markDeleted(uid);
  }

  /** The read state of a kind of owners has changed. */
  reconsider(type: Pick<OwnerType, 'group' | 'kind'>): void {
    this.#index.reconsider(type);
  }

  /** The objects of another resource have been read, or are known not to exist. */
  retryPending(): void {
    for (const uid of this.#pending) this.#unknown.add(uid);
    this.#pending.clear();
    if (this.#unknown.size > 0) this.#cache.settleSoon();
  }

  workloads(): Iterable<Workload> {
    return this.#listed.values();
  }

  get workloadCount(): number {
    return this.#listed.size;
  }

  workloadNamed(key: string): Workload | undefined {
    return this.#listed.by('name', key).at(-1);
  }

  lists(uid: string): boolean {
    return this.#listed.has(uid);
  }

  childrenOf(workload: Workload): readonly Workload[] {
    return this.#descendantsOf(workload).children;
  }

  podsOf(workload: Workload): readonly PodSummary[] {
    return this.#descendantsOf(workload).pods;
  }

  sourcesOf({ uid }: Workload): readonly RevisionSource[] {
    return this.#index.sourcesOf(uid) ?? this.#stores.sources.by('controller', uid);
  }

  workloadOfSource(uid: string): Workload | undefined {
    return this.#index.workloadOfSource(uid);
  }

  *ownersOf(uid: string): Iterable<Workload> {
    const { workloads, sources } = this.#stores;
    let at: string | null | undefined = uid;
    for (let steps = 0; at != null && steps < OWNERS_MAX; steps += 1) {
      yield* this.#index.shownOf(at);
      const object = workloads.get(at);
      at = object === undefined ? sources.get(at)?.controllerUid : controllerOf(object.owners)?.uid;
    }
  }

  /** The objects that an object owns, and those that they own in turn. */
  #descendantsOf({ uid, placeholder }: Workload): { children: Workload[]; pods: PodSummary[] } {
    const { workloads, sources, pods } = this.#stores;
    const children: Workload[] = [];
    const own: PodSummary[] = [];
    const first = placeholder?.owner?.uid ?? uid;
    const seen = new Set([first]);
    for (const owner of seen) {
      for (const pod of pods.by('controller', owner)) own.push(pod);
      for (const child of workloads.by('controller', owner)) {
        if (!seen.has(child.uid)) children.push(child);
        seen.add(child.uid);
      }
      // Pods of a Deployment are those of its ReplicaSets.
      if (owner !== first) for (const source of sources.by('controller', owner)) seen.add(source.uid);
    }
    return { children, pods: own };
  }

  workloadChanged(change: StoreChange<Workload>): void {
    const { resource, namespace, uid } = change.value;
    if (this.#kinds.has(resource)) {
      this.#index.objectChanged(uid);
      return;
    }
    const source = this.#stores.kinds.get(resource)?.source.resource.id;
    const isSame = change.type === 'updated' && isSameSelector(change.value, change.previous);
    if (source !== undefined && !isSame) this.#recheckOrphans(source, namespace);
    // Its revisions may have arrived first, and have been taken for the remains of a deleted workload.
    if (change.type === 'deleted' || this.#index.sourcesOf(uid) !== undefined) this.#recheckOwner(uid);
  }

  sourceChanged({ type, value }: StoreChange<RevisionSource>): void {
    const { resource, namespace, controllerUid } = value;
    if (resource !== unownedKind.resource.id) return;
    if (type !== 'deleted' && controllerUid === null) {
      this.#recheckOrphans(resource, namespace);
      return;
    }
    if (this.#index.changeSource(type, value)) this.#options.onNewType?.();
    if (controllerUid !== null && !this.#stores.isPresent(controllerUid)) this.#recheckOwner(controllerUid);
  }

  settle(): void {
    try {
      this.#claimOrphans();
    } finally {
      this.#resolveUnknown();
    }
  }

  /** An object of one of its own kinds; workloads of the table are not owners of this sort. */
  #objectOf(uid: string): Workload | undefined {
    const object = this.#stores.workloads.get(uid);
    return object !== undefined && this.#kinds.has(object.resource) ? object : undefined;
  }

  #show(workload: Workload): void {
    this.#listed.put(workload);
    this.#cache.markChanged(workload);
  }

  #hide(workload: Workload): void {
    this.#listed.delete(workload);
    this.#cache.markChanged(workload);
  }

  #recheckOrphans(source: string, namespace: string): void {
    const scope = scopeKey(source, namespace);
    if (source !== unownedKind.resource.id || this.#stores.sources.first('orphan', scope) === undefined)
      return;
    this.#scopesToClaim.add(scope);
    this.#cache.settleSoon();
  }

  /** A workload of a kind of the table was added or deleted, or revisions arrived before it. */
  #recheckOwner(uid: string): void {
    const first = this.#stores.sources.first('controller', uid);
    if (first?.resource !== unownedKind.resource.id || ownerUnknownGroupOf(first) === null) return;
    this.#unknown.add(uid);
    this.#cache.settleSoon();
  }

  /**
   * Revisions without a controller belong to a workload whose selector they match, else they are histories of
   * their own.
   */
  #claimOrphans(): void {
    for (const scope of this.#scopesToClaim) {
      const orphans = this.#stores.sources.by('orphan', scope);
      const claimants = orphans.length === 0 ? none : this.#stores.claimantsIn(scope);
      const selectors = claimants.map(({ spec }) => parseLabelSelector(spec['selector']));
      for (const orphan of orphans) {
        const isClaimed = selectors.some((selector) => matchesSelector(selector, orphan.labels));
        this.#index.changeSource(isClaimed ? 'deleted' : 'updated', orphan);
      }
    }
    this.#scopesToClaim.clear();
  }

  /**
   * Histories of the table's own kinds whose workloads are missing stand by themselves, as long as any
   * revision exists.
   */
  #resolveUnknown(): void {
    const loadingByKind = new Map<string, boolean>();
    for (const uid of this.#unknown) {
      const isPresent = this.#stores.isPresent(uid);
      if (isPresent && this.#index.sourcesOf(uid) === undefined) continue;
      const sources = this.#stores.sources.by('controller', uid);
      if (!isPresent && sources.some((source) => this.#isLoading(source, loadingByKind))) {
        this.#pending.add(uid);
        continue;
      }
      for (const source of sources) {
        if (this.#index.changeSource(isPresent ? 'found' : 'lost', source)) this.#options.onNewType?.();
      }
    }
    this.#unknown.clear();
  }

  /** Some objects of its kind are still to be read. A kind that is not served will send none. */
  #isLoading(
    { namespace, controllerKind, controllerApiVersion }: RevisionSource,
    known: Map<string, boolean>,
  ): boolean {
    const key = `${namespace} ${controllerApiVersion} ${controllerKind}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const group = groupOf(controllerApiVersion ?? '');
    const kind = this.#cache
      .kinds()
      .find(({ resource }) => resource.group === group && resource.kind === controllerKind);
    const state = this.#cache.states(namespace).find(({ resource }) => resource === kind?.resource.id);
    const isLoading = state !== undefined && !state.synced;
    known.set(key, isLoading);
    return isLoading;
  }
}

function isSameSelector(a: Workload, b: Workload): boolean {
  return JSON.stringify(a.spec['selector']) === JSON.stringify(b.spec['selector']);
}
