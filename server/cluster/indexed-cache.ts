import 'server-only';
import { groupOf } from '@/lib/kube/object';
import { componentOf } from '@/lib/producers/revision-group';
import { matchesSelector, parseLabelSelector } from '@/lib/kube/selector';
import { type WorkloadKind } from '@/lib/workloads/kind';
import { type PodSummary } from '@/lib/history/pod';
import { type RevisionSource, type Template, type Workload } from '@/lib/history/workload';
import { type BodyStore } from '@/server/cluster/body-store';
import {
  type ClusterCache,
  type EventSummary,
  type ResourceState,
  type WorkloadKey,
} from '@/server/cluster/cache';
import { EventIndex } from '@/server/cluster/event-index';
import { type SemanticIds } from '@/server/cluster/ingest';
import { type MissingOwner, OwnerIndex, type OwnerReadState } from '@/server/cluster/owner-index';
import { type OwnerType } from '@/server/cluster/owner-discovery';
import {
  ownerUnknownGroupOf,
  sourceGroupOf,
  createPlaceholder,
  unownedKind,
} from '@/server/cluster/placeholder';
import { type StoreChange } from '@/server/cluster/store-change';

interface IndexedCacheOptions {
  kinds: readonly WorkloadKind[];
  bodies: BodyStore;
  semantic: SemanticIds;
  states: (namespace: string | undefined) => readonly ResourceState[];
  /** Called with the workloads that changed, at most once per turn of the event loop. */
  onChange: (keys: readonly WorkloadKey[]) => void;
  /** Called with what was thrown between a change and its notification. */
  onError?: (error: unknown) => void;
  /**
   * The read state of the owners of revisions that no kind of the table has. Absent: all of them are being
   * read.
   */
  ownerReadState?: (owner: OwnerType, namespace: string) => OwnerReadState;
  /** A revision names a kind of owner for the first time. */
  onNewOwnerType?: () => void;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

const none: readonly never[] = [];

/** Owners of owners: real chains have two or three steps. */
const OWNERS_MAX = 8;

/**
 * The indexes over the objects of the reflectors: by name, by uid, by controller. Changes are collected by
 * key.
 */
export class IndexedCache implements ClusterCache {
  readonly #kinds: Map<string, WorkloadKind>;
  /** Resources discovered through the revisions that their objects own. */
  readonly #discoveredKinds = new Set<string>();
  readonly #owners: OwnerIndex;
  readonly #options: IndexedCacheOptions;
  /** Kinds whose pods name their parent. */
  readonly #kindsNamingParent: readonly WorkloadKind[];
  /** Kinds whose objects name their generator. */
  readonly #kindsNamingGenerator: readonly WorkloadKind[];
  readonly #workloads = new Map<string, Workload>();
  readonly #workloadByUid = new Map<string, Workload>();
  /** By the name of the parent. */
  readonly #childrenByParent = new Map<string, Map<string, Workload>>();
  /** Workloads by the name of the generator that they declare. */
  readonly #generatedByGenerator = new Map<string, Map<string, Workload>>();
  /** Workloads by the uid of their controller. */
  readonly #workloadsByController = new Map<string, Map<string, Workload>>();
  readonly #sourceByUid = new Map<string, RevisionSource>();
  readonly #sourcesByController = new Map<string, Map<string, RevisionSource>>();
  readonly #orphansByScope = new Map<string, Map<string, RevisionSource>>();
  readonly #sourcesByComponent = new Map<string, Map<string, RevisionSource>>();
  readonly #podByUid = new Map<string, PodSummary>();
  readonly #podsByController = new Map<string, Map<string, PodSummary>>();
  /** By the name of the parent that the pod itself declares. */
  readonly #podsByParent = new Map<string, Map<string, PodSummary>>();
  readonly #events = new EventIndex();
  readonly #versions = new Map<string, number>();
  readonly #dirty = new Map<string, WorkloadKey>();
  /** Namespaces whose revisions without a controller may have another claimant now. */
  readonly #scopesToClaim = new Set<string>();
  /** Controllers of kinds of the table that own revisions but are missing themselves, as far as observed. */
  readonly #ownerUnknown = new Set<string>();
  /** Those whose kind has not been read yet. */
  readonly #ownerPending = new Set<string>();
  #flushing = false;

  constructor(parts: IndexedCacheOptions) {
    this.#options = parts;
    this.#kinds = new Map(parts.kinds.map((kind) => [kind.resource.id, kind]));
    this.#kindsNamingParent = parts.kinds.filter((kind) => kind.parentOfPod !== undefined);
    this.#kindsNamingGenerator = parts.kinds.filter((kind) => kind.generatorOf !== undefined);
    this.addKind(unownedKind);
    this.#owners = new OwnerIndex({
      groupOf: sourceGroupOf,
      ownerUnknownGroupOf,
      readStateOf: parts.ownerReadState ?? (() => 'reading'),
      createPlaceholder,
      show: (workload) => this.#show(workload),
      hide: (workload) => this.#hide(workload),
    });
  }

  kinds(): readonly WorkloadKind[] {
    return [...this.#kinds.values()];
  }

  kindOf(resource: string): WorkloadKind | undefined {
    return this.#kinds.get(resource);
  }

  /** Adds a kind of owners that was discovered in the cluster. */
  addKind(kind: WorkloadKind): void {
    this.#kinds.set(kind.resource.id, kind);
    this.#discoveredKinds.add(kind.resource.id);
  }

  /** The caller has removed its objects before. */
  removeKind(resource: string): void {
    if (this.#discoveredKinds.delete(resource)) this.#kinds.delete(resource);
  }

  /** The kinds of owners that revisions name and no kind of the table has. */
  ownerTypes(): readonly OwnerType[] {
    return this.#owners.types();
  }

  /** Owners that should have an object, and have none. */
  missingOwners(): Iterable<MissingOwner> {
    return this.#owners.missing();
  }

  /** The API server has no such owner. */
  markDeleted(uid: string): void {
    this.#owners.markDeleted(uid);
  }

  /** The read state of a kind of owners has changed. */
  reconsiderOwners(type: Pick<OwnerType, 'group' | 'kind'>): void {
    this.#owners.reconsider(type);
  }

  /** The objects of another resource have been read, or are known not to exist. */
  retryPendingOwners(): void {
    for (const uid of this.#ownerPending) this.#ownerUnknown.add(uid);
    this.#ownerPending.clear();
    if (this.#ownerUnknown.size > 0) this.#flushSoon();
  }

  workloads(): Iterable<Workload> {
    return this.#workloads.values();
  }

  get workloadCount(): number {
    return this.#workloads.size;
  }

  get sourceCount(): number {
    return this.#sourceByUid.size;
  }

  get podCount(): number {
    return this.#podByUid.size;
  }

  get eventCount(): number {
    return this.#events.size;
  }

  workload(resource: string, namespace: string, name: string): Workload | undefined {
    return this.#workloads.get(nameKey(resource, namespace, name));
  }

  childrenOf(workload: Workload): readonly Workload[] {
    const { resource, namespace, name } = workload;
    if (this.#discoveredKinds.has(resource)) return this.#descendantsOf(workload).parts;
    const owner = this.#kinds.get(resource)?.podOwner;
    if (owner === 'made') return listOf(this.#generatedByGenerator.get(nameKey(resource, namespace, name)));
    return listOf(this.#childrenByParent.get(nameKey(resource, namespace, name)));
  }

  sourcesOf(workload: Workload): readonly RevisionSource[] {
    const own = this.#kinds.get(workload.resource)?.source.resource.id;
    // ControllerRevisions of a kind with other sources are histories of their own.
    const mayBePlaceholder =
      workload.placeholder !== undefined || this.#discoveredKinds.has(workload.resource);
    const found =
      mayBePlaceholder && own === unownedKind.resource.id ? this.#owners.sourcesOf(workload.uid) : undefined;
    return found ?? listOf(this.#sourcesByController.get(workload.uid));
  }

  orphansOf(workload: Workload): readonly RevisionSource[] {
    const kind = this.#kinds.get(workload.resource);
    if (kind === undefined || this.#discoveredKinds.has(kind.resource.id)) return none;
    const orphans = this.#orphansByScope.get(scopeKey(kind.source.resource.id, workload.namespace));
    if (orphans === undefined) return none;
    const selector = parseLabelSelector(workload.spec['selector']);
    const matching = [...orphans.values()].filter((orphan) => matchesSelector(selector, orphan.labels));
    if (matching.length === 0) return none;
    const before = this.#claimantsIn(scopeKey(kind.source.resource.id, workload.namespace))
      .filter((other) => isOlder(other, workload))
      .map(({ spec }) => parseLabelSelector(spec['selector']));
    return matching.filter((orphan) => !before.some((other) => matchesSelector(other, orphan.labels)));
  }

  podsOf(workload: Workload): readonly PodSummary[] {
    if (this.#discoveredKinds.has(workload.resource)) return this.#descendantsOf(workload).pods;
    const own = listOf(this.#podsByController.get(workload.uid));
    const owner = this.#kinds.get(workload.resource)?.podOwner;
    if (owner === 'part') return this.#podsOfChildren(workload);
    if (owner === 'made') return this.childrenOf(workload).flatMap((generated) => this.podsOf(generated));
    if (owner !== 'source') return own;
    const bySource = this.sourcesOf(workload).flatMap((source) =>
      listOf(this.#podsByController.get(source.uid)),
    );
    return own.length === 0 ? bySource : [...own, ...bySource];
  }

  /**
   * A child belongs to the workload when the workload controls it, or controls a pod of it. A pod whose
   * controller is already deleted belongs to the workload that it names.
   */
  #podsOfChildren(workload: Workload): PodSummary[] {
    const { resource, namespace, name } = workload;
    const named = listOf(this.#podsByParent.get(nameKey(resource, namespace, name)));
    const pods = named.filter(
      (pod) => !this.#workloadByUid.has(pod.controllerUid ?? '') && pod.createdAt >= workload.createdAt,
    );
    const owners = new Set([workload.uid]);
    let remaining = this.childrenOf(workload);
    for (;;) {
      const own = Map.groupBy(remaining, (child) => owners.has(controllerUidOf(child) ?? ''));
      const found = own.get(true);
      if (found === undefined) return pods;
      remaining = own.get(false) ?? none;
      for (const { uid } of found) {
        for (const pod of this.#podsByController.get(uid)?.values() ?? none) {
          pods.push(pod);
          owners.add(pod.uid);
        }
      }
    }
  }

  /** The objects that an object owns, and those that they own in turn. */
  #descendantsOf({ uid, placeholder }: Workload): { parts: Workload[]; pods: PodSummary[] } {
    const parts: Workload[] = [];
    const pods: PodSummary[] = [];
    const first = placeholder?.owner?.uid ?? uid;
    const seen = new Set([first]);
    for (const owner of seen) {
      for (const pod of this.#podsByController.get(owner)?.values() ?? none) pods.push(pod);
      for (const child of this.#workloadsByController.get(owner)?.values() ?? none) {
        if (!seen.has(child.uid)) parts.push(child);
        seen.add(child.uid);
      }
      // Pods of a Deployment are those of its ReplicaSets.
      if (owner !== first)
        for (const key of this.#sourcesByController.get(owner)?.keys() ?? none) seen.add(key);
    }
    return { parts, pods };
  }

  revisionsOfComponent(namespace: string, component: string): readonly RevisionSource[] {
    return listOf(this.#sourcesByComponent.get(scopeKey(component, namespace)));
  }

  workloadOfSource({ uid }: RevisionSource): Workload | undefined {
    return this.#owners.workloadOfSource(uid);
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

  states(namespace?: string): readonly ResourceState[] {
    return this.#options.states(namespace);
  }

  /** The version of the parent for a child, whose changes count there alone. */
  versionOf(workload: Workload): number {
    const parent = this.#parentKeyOf(workload);
    const uid = parent === null ? workload.uid : this.#workloads.get(parent)?.uid;
    return this.#versions.get(uid ?? '') ?? 0;
  }

  changeWorkload(change: StoreChange<Workload>): void {
    const workload = change.value;
    this.#releaseReplaced(change);
    this.#setEditedAt(change);
    this.#indexByController(change);
    this.#indexByGenerator(change);
    if (this.#discoveredKinds.has(workload.resource)) {
      this.#owners.changeObject(change.type, workload);
      return;
    }
    if (change.type !== 'added') this.#removeChild(change.previous);
    const parent = this.#parentKeyOf(workload);
    if (parent !== null) {
      this.#changeChild(change, parent);
      return;
    }
    if (change.type !== 'updated' || !isSameSelector(change.value, change.previous)) {
      const kind = this.#kinds.get(workload.resource);
      if (kind !== undefined) this.#recheckOrphans(kind.source.resource.id, workload.namespace);
    }
    if (change.type === 'deleted') this.#hide(workload);
    else this.#show(workload);
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

  #show(workload: Workload): void {
    const { resource, namespace, name, uid } = workload;
    this.#workloads.set(nameKey(resource, namespace, name), workload);
    this.#workloadByUid.set(uid, workload);
    this.#markChanged(workload);
    // Its revisions may have arrived first, and have been taken for the remains of a deleted workload.
    if (workload.placeholder === undefined && this.#owners.sourcesOf(uid) !== undefined)
      this.#recheckOwner(uid);
  }

  #hide(workload: Workload): void {
    const { resource, namespace, name, uid } = workload;
    const key = nameKey(resource, namespace, name);
    // A workload of the same name may have been created before the deletion was noticed.
    if (this.#workloads.get(key)?.uid === uid) this.#workloads.delete(key);
    if (this.#workloadByUid.get(uid)?.placeholder === workload.placeholder) this.#workloadByUid.delete(uid);
    this.#markChanged(workload);
    if (workload.placeholder === undefined) this.#recheckOwner(uid);
  }

  /** Indexes a workload by its controller; its changes are changes of the controller. */
  #indexByController(change: StoreChange<Workload>): void {
    if (change.type !== 'added')
      removeFrom(this.#workloadsByController, controllerUidOf(change.previous) ?? null, change.previous.uid);
    const controller = controllerUidOf(change.value);
    if (controller === undefined) return;
    if (change.type !== 'deleted') addTo(this.#workloadsByController, controller, change.value);
    this.#markOwnersChanged(controller);
  }

  /** Indexes a workload by its generator; its changes are changes of the generator too. */
  #indexByGenerator(change: StoreChange<Workload>): void {
    if (change.type !== 'added') {
      for (const key of this.#generatorKeysOf(change.previous)) {
        removeFrom(this.#generatedByGenerator, key, change.previous.uid);
        this.#markGeneratorChanged(key);
      }
    }
    if (change.type === 'deleted') return;
    for (const key of this.#generatorKeysOf(change.value)) {
      addTo(this.#generatedByGenerator, key, change.value);
      this.#markGeneratorChanged(key);
    }
  }

  /** Keys of the generators that this workload declares. */
  #generatorKeysOf(workload: Workload): string[] {
    if (workload.placeholder !== undefined || this.#parentKeyOf(workload) !== null) return [];
    return this.#kindsNamingGenerator.flatMap((kind) => {
      const generator = kind.generatorOf?.(workload) ?? null;
      return generator === null ? [] : [nameKey(generator.resource, workload.namespace, generator.name)];
    });
  }

  /**
   * Revisions without a controller belong to a workload whose selector they match, else they are histories of
   * their own.
   */
  #claimOrphans(): void {
    for (const scope of this.#scopesToClaim) {
      const orphans = listOf(this.#orphansByScope.get(scope));
      const selectors = orphans.length === 0 ? none : this.#selectorsIn(scope);
      for (const orphan of orphans) {
        const isClaimed = selectors.some((selector) => matchesSelector(selector, orphan.labels));
        this.#owners.changeSource(isClaimed ? 'deleted' : 'updated', orphan);
      }
    }
    this.#scopesToClaim.clear();
  }

  #selectorsIn(scope: string) {
    return this.#claimantsIn(scope).map(({ spec }) => parseLabelSelector(spec['selector']));
  }

  /** Workloads whose selectors revisions without a controller may match. */
  #claimantsIn(scope: string): Workload[] {
    return [...this.#workloads.values()].filter(({ resource, namespace }) => {
      const kind = this.#kinds.get(resource);
      if (kind === undefined || this.#discoveredKinds.has(resource)) return false;
      return scopeKey(kind.source.resource.id, namespace) === scope;
    });
  }

  /** A workload of a kind of the table was added or deleted, or revisions arrived before it. */
  #recheckOwner(uid: string): void {
    const [first] = this.#sourcesByController.get(uid)?.values() ?? none;
    if (first?.resource !== unownedKind.resource.id || ownerUnknownGroupOf(first) === null) return;
    this.#ownerUnknown.add(uid);
    this.#flushSoon();
  }

  /** The workload itself, not a placeholder for it. */
  #isPresent(uid: string): boolean {
    const workload = this.#workloadByUid.get(uid);
    return workload !== undefined && workload.placeholder === undefined;
  }

  /**
   * Histories of the table's own kinds whose workloads are missing stand by themselves, as long as any
   * revision exists.
   */
  #resolveUnknownOwners(): void {
    const loadingByKind = new Map<string, boolean>();
    for (const uid of this.#ownerUnknown) {
      const isThere = this.#isPresent(uid);
      if (isThere && this.#owners.sourcesOf(uid) === undefined) continue;
      const sources = listOf(this.#sourcesByController.get(uid));
      if (!isThere && sources.some((source) => this.#isLoading(source, loadingByKind))) {
        this.#ownerPending.add(uid);
        continue;
      }
      for (const source of sources) {
        if (this.#owners.changeSource(isThere ? 'found' : 'lost', source)) this.#options.onNewOwnerType?.();
      }
    }
    this.#ownerUnknown.clear();
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
    const kind = [...this.#kinds.values()].find(
      ({ resource }) => resource.group === group && resource.kind === controllerKind,
    );
    const state = this.#options.states(namespace).find(({ resource }) => resource === kind?.resource.id);
    const isLoading = state !== undefined && !state.synced;
    known.set(key, isLoading);
    return isLoading;
  }

  #recheckOrphans(source: string, namespace: string): void {
    const scope = scopeKey(source, namespace);
    if (source !== unownedKind.resource.id || !this.#orphansByScope.has(scope)) return;
    this.#scopesToClaim.add(scope);
    this.#flushSoon();
  }

  /** Indexes a child under its parent alone; its changes are changes of the parent. */
  #changeChild(change: StoreChange<Workload>, parent: string): void {
    const child = change.value;
    const key = nameKey(child.resource, child.namespace, child.name);
    if (this.#workloads.get(key)?.uid === child.uid) {
      // It was a workload of its own until now.
      this.#workloads.delete(key);
      this.#workloadByUid.delete(child.uid);
      this.#markChanged(child);
    }
    if (change.type === 'deleted') {
      this.#workloadByUid.delete(child.uid);
      this.#recheckOwner(child.uid);
    } else {
      if (!this.#isPresent(child.uid)) this.#recheckOwner(child.uid);
      this.#workloadByUid.set(child.uid, child);
      addTo(this.#childrenByParent, parent, child);
    }
    this.#markParentChanged(parent);
  }

  #removeChild(child: Workload): void {
    const parent = this.#parentKeyOf(child);
    if (parent === null) return;
    removeFrom(this.#childrenByParent, parent, child.uid);
    this.#markParentChanged(parent);
  }

  /** Key of the workload that is the parent of this one. */
  #parentKeyOf(workload: Workload): string | null {
    const parent = this.#kinds.get(workload.resource)?.parentOf?.(workload) ?? null;
    return parent === null ? null : nameKey(parent.resource, workload.namespace, parent.name);
  }

  /** Keys of the workloads that a pod names; most pods name none. */
  #parentKeysOfPod(pod: PodSummary): string[] {
    if (pod.metadataValues === undefined) return [];
    return this.#kindsNamingParent.flatMap((kind) => {
      const parent = kind.parentOfPod?.(pod) ?? null;
      return parent === null ? [] : [nameKey(parent.resource, pod.namespace, parent.name)];
    });
  }

  #markParentChanged(key: string): void {
    const parent = this.#workloads.get(key);
    if (parent !== undefined) this.#markChanged(parent);
  }

  changeSource(change: StoreChange<RevisionSource>): void {
    if (change.type !== 'added') this.#removeSource(change.previous);
    this.#releaseReplaced(change);
    const source = change.value;
    if (change.type !== 'deleted') {
      this.#sourceByUid.set(source.uid, source);
      if (source.controllerUid === null) {
        addTo(this.#orphansByScope, scopeKey(source.resource, source.namespace), source);
      } else {
        addTo(this.#sourcesByController, source.controllerUid, source);
      }
      const component = componentOf(source);
      if (component !== null) addTo(this.#sourcesByComponent, scopeKey(component, source.namespace), source);
    }
    this.#changeOwnerOf(change);
    this.#markControllerChanged(source.controllerUid);
    if (change.type !== 'added' && change.previous.controllerUid !== source.controllerUid) {
      this.#markControllerChanged(change.previous.controllerUid);
    }
  }

  #changeOwnerOf(change: StoreChange<RevisionSource>): void {
    const { type, value } = change;
    if (value.resource !== unownedKind.resource.id) return;
    if (type === 'deleted' || value.controllerUid !== null) {
      if (this.#owners.changeSource(type, value)) this.#options.onNewOwnerType?.();
      const { controllerUid } = value;
      if (controllerUid !== null && !this.#isPresent(controllerUid)) this.#recheckOwner(controllerUid);
    } else this.#recheckOrphans(value.resource, value.namespace);
  }

  changePod(change: StoreChange<PodSummary>): void {
    if (change.type !== 'added') {
      removeFrom(this.#podsByController, change.previous.controllerUid, change.previous.uid);
      for (const parent of this.#parentKeysOfPod(change.previous))
        removeFrom(this.#podsByParent, parent, change.previous.uid);
    }
    const pod = change.value;
    const parentKeys = this.#parentKeysOfPod(pod);
    if (change.type === 'deleted') {
      this.#podByUid.delete(pod.uid);
    } else {
      this.#podByUid.set(pod.uid, pod);
      if (pod.controllerUid !== null) addTo(this.#podsByController, pod.controllerUid, pod);
      for (const parent of parentKeys) addTo(this.#podsByParent, parent, pod);
    }
    this.#markControllerChanged(pod.controllerUid);
    for (const parent of parentKeys) this.#markParentChanged(parent);
  }

  addEvent(event: EventSummary): void {
    this.#events.add(event);
    const uid = event.object.uid;
    this.#markControllerChanged(this.#podByUid.get(uid)?.controllerUid ?? uid);
  }

  removeEvent(event: EventSummary): void {
    this.#events.remove(event);
  }

  #removeSource(source: RevisionSource): void {
    this.#sourceByUid.delete(source.uid);
    removeFrom(this.#sourcesByController, source.controllerUid, source.uid);
    removeFrom(this.#orphansByScope, scopeKey(source.resource, source.namespace), source.uid);
    const component = componentOf(source);
    if (component !== null)
      removeFrom(this.#sourcesByComponent, scopeKey(component, source.namespace), source.uid);
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

  /** Finds the workload behind a controller: the workload itself, or the owner of a source object. */
  #markControllerChanged(uid: string | null | undefined): void {
    if (uid === null || uid === undefined) return;
    const workload =
      this.#workloadByUid.get(uid) ??
      this.#workloadByUid.get(this.#sourceByUid.get(uid)?.controllerUid ?? '');
    if (workload === undefined) {
      this.#markOwnersChanged(uid);
      return;
    }
    const parent = this.#parentKeyOf(workload);
    if (parent === null) this.#markChanged(workload);
    else this.#markParentChanged(parent);
    this.#markOwnersChanged(uid);
  }

  /** Histories of a controller, and of its owners, that were discovered by their revisions. */
  #markOwnersChanged(uid: string): void {
    let at: string | null | undefined = uid;
    for (let steps = 0; at != null && steps < OWNERS_MAX; steps += 1) {
      for (const workload of this.#owners.shownOf(at)) this.#markChanged(workload);
      const object: Workload | undefined = this.#owners.object(at) ?? this.#workloadByUid.get(at);
      at = object === undefined ? this.#sourceByUid.get(at)?.controllerUid : controllerUidOf(object);
    }
  }

  #markChanged(workload: Workload): void {
    this.#bumpVersion(workload);
    for (const key of this.#generatorKeysOf(workload)) this.#markGeneratorChanged(key);
  }

  #markGeneratorChanged(key: string): void {
    const generator = this.#workloads.get(key);
    if (generator !== undefined) this.#bumpVersion(generator);
  }

  #bumpVersion({ uid, resource, namespace, name }: Workload): void {
    if (this.#workloadByUid.has(uid)) this.#versions.set(uid, (this.#versions.get(uid) ?? 0) + 1);
    else this.#versions.delete(uid);
    this.#dirty.set(uid, { uid, resource, namespace, name });
    this.#flushSoon();
  }

  /** An error in here suppresses neither this notification nor later ones. */
  #guarded(settle: () => void): void {
    try {
      settle();
    } catch (error) {
      this.#options.onError?.(error);
    }
  }

  #flushSoon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => {
      this.#guarded(() => this.#claimOrphans());
      this.#guarded(() => this.#resolveUnknownOwners());
      this.#flushing = false;
      const keys = [...this.#dirty.values()];
      this.#dirty.clear();
      this.#options.onChange(keys);
    });
  }
}

/** Of several workloads whose selectors match a revision, the oldest owns it. */
function isOlder(a: Workload, b: Workload): boolean {
  return a.createdAt === b.createdAt ? a.uid < b.uid : a.createdAt < b.createdAt;
}

function isSameSelector(a: Workload, b: Workload): boolean {
  return JSON.stringify(a.spec['selector']) === JSON.stringify(b.spec['selector']);
}

function controllerUidOf({ owners }: Workload): string | undefined {
  return owners.find((owner) => owner.controller === true)?.uid;
}

function nameKey(resource: string, namespace: string, name: string): string {
  return `${resource}/${namespace}/${name}`;
}

function scopeKey(resource: string, namespace: string): string {
  return `${resource}/${namespace}`;
}

function listOf<T>(entries: ReadonlyMap<string, T> | undefined): readonly T[] {
  return entries === undefined ? none : [...entries.values()];
}

function addTo<T extends { uid: string }>(index: Map<string, Map<string, T>>, key: string, value: T): void {
  const entries = index.get(key);
  if (entries === undefined) index.set(key, new Map([[value.uid, value]]));
  else entries.set(value.uid, value);
}

function removeFrom<T>(index: Map<string, Map<string, T>>, key: string | null, uid: string): void {
  if (key === null) return;
  const entries = index.get(key);
  if (entries === undefined) return;
  entries.delete(uid);
  if (entries.size === 0) index.delete(key);
}
