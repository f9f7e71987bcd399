import 'server-only';
import { groupOf } from '@/lib/kube/object';
import { componentOf } from '@/lib/producers/revision-group';
import { matchesSelector, parseLabelSelector } from '@/lib/kube/selector';
import { type WorkloadKind } from '@/lib/workloads/kind';
import { type PodSummary } from '@/lib/workloads/pod';
import { type RevisionSource, type Template, type Workload } from '@/lib/workloads/workload';
import { type BodyStore } from '@/server/cluster/body-store';
import {
  type ClusterCache,
  type EventSummary,
  type ResourceState,
  type WorkloadKey,
} from '@/server/cluster/cache';
import { EventIndex } from '@/server/cluster/event-index';
import { type SemanticIds } from '@/server/cluster/ingest';
import { type MissingOwner, OwnerIndex, type OwnerSight } from '@/server/cluster/owner-index';
import { type OwnerType } from '@/server/cluster/owner-resources';
import { lostGroupOf, sourceGroupOf, standIn, withoutOwner } from '@/server/cluster/stand-in';

/** A change as a reflector reports it. */
export type StoreChange<T> =
  | { type: 'added'; value: T }
  | { type: 'updated'; value: T; previous: T }
  | { type: 'deleted'; value: T; previous: T };

interface Parts {
  kinds: readonly WorkloadKind[];
  bodies: BodyStore;
  semantic: SemanticIds;
  states: (namespace: string | undefined) => readonly ResourceState[];
  /** Called with the workloads that changed, at most once per turn of the event loop. */
  onChange: (keys: readonly WorkloadKey[]) => void;
  /** Called with what was thrown between a change and its telling. */
  onError?: (error: unknown) => void;
  /** What is known of the owners of revisions that no kind of the table has. Absent: all of them are on their way. */
  sightOf?: (owner: OwnerType, namespace: string) => OwnerSight;
  /** A revision names a kind of owner that none did before. */
  onOwnerType?: () => void;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

const none: readonly never[] = [];

/** Owners of owners: real chains have two or three steps. */
const OWNERS_MAX = 8;

/** The indexes over what the reflectors keep: by name, by uid, by controller. Changes are gathered into keys. */
export class IndexedCache implements ClusterCache {
  readonly #kinds: Map<string, WorkloadKind>;
  /** Resources that were found by the revisions that their objects own. */
  readonly #found = new Set<string>();
  readonly #owners: OwnerIndex;
  readonly #parts: Parts;
  /** Kinds whose pods name them. */
  readonly #naming: readonly WorkloadKind[];
  /** Kinds that others name as their makers. */
  readonly #makers: readonly WorkloadKind[];
  readonly #workloads = new Map<string, Workload>();
  readonly #workloadByUid = new Map<string, Workload>();
  /** By the name of the whole. */
  readonly #partsByWhole = new Map<string, Map<string, Workload>>();
  /** Workloads by the name of what they say they were made for. */
  readonly #madeByMaker = new Map<string, Map<string, Workload>>();
  /** Workloads by the controller that made them. */
  readonly #childrenByController = new Map<string, Map<string, Workload>>();
  readonly #sourceByUid = new Map<string, RevisionSource>();
  readonly #sourcesByController = new Map<string, Map<string, RevisionSource>>();
  readonly #orphansByPlace = new Map<string, Map<string, RevisionSource>>();
  readonly #sourcesByComponent = new Map<string, Map<string, RevisionSource>>();
  readonly #podByUid = new Map<string, PodSummary>();
  readonly #podsByController = new Map<string, Map<string, PodSummary>>();
  /** By the name of the whole that a pod names itself. */
  readonly #podsByWhole = new Map<string, Map<string, PodSummary>>();
  readonly #events = new EventIndex();
  readonly #versions = new Map<string, number>();
  readonly #dirty = new Map<string, WorkloadKey>();
  /** Namespaces whose revisions without a controller may belong to others now. */
  readonly #unclaimed = new Set<string>();
  /** Controllers of kinds that we know, of revisions that are there without them, as far as has been seen. */
  readonly #lost = new Set<string>();
  /** Those of which the kind has not been read yet. */
  readonly #awaited = new Set<string>();
  #flushing = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#kinds = new Map(parts.kinds.map((kind) => [kind.resource.id, kind]));
    this.#naming = parts.kinds.filter((kind) => kind.wholeOfPod !== undefined);
    this.#makers = parts.kinds.filter((kind) => kind.makerOf !== undefined);
    this.addKind(withoutOwner);
    this.#owners = new OwnerIndex({
      groupOf: sourceGroupOf,
      lostGroupOf,
      sightOf: parts.sightOf ?? (() => 'reading'),
      standIn,
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

  /** A kind of owners that was found in the cluster. */
  addKind(kind: WorkloadKind): void {
    this.#kinds.set(kind.resource.id, kind);
    this.#found.add(kind.resource.id);
  }

  /** Its objects have been taken out before. */
  removeKind(resource: string): void {
    if (this.#found.delete(resource)) this.#kinds.delete(resource);
  }

  /** The kinds of owners that revisions name and no kind of the table has. */
  ownerTypes(): readonly OwnerType[] {
    return this.#owners.types();
  }

  /** Owners whose objects ought to be there. */
  missingOwners(): Iterable<MissingOwner> {
    return this.#owners.missing();
  }

  /** The API server has no such owner. */
  noteGone(uid: string): void {
    this.#owners.noteGone(uid);
  }

  /** Something else is known of the objects of a kind of owners. */
  reconsiderOwners(type: Pick<OwnerType, 'group' | 'kind'>): void {
    this.#owners.reconsider(type);
  }

  /** The objects of another resource have been read, or it is known that there are none. */
  lookForOwners(): void {
    for (const uid of this.#awaited) this.#lost.add(uid);
    this.#awaited.clear();
    if (this.#lost.size > 0) this.#flushSoon();
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

  partsOf(workload: Workload): readonly Workload[] {
    const { resource, namespace, name } = workload;
    if (this.#found.has(resource)) return this.#descendantsOf(workload).parts;
    const owner = this.#kinds.get(resource)?.podOwner;
    if (owner === 'made') return listOf(this.#madeByMaker.get(nameKey(resource, namespace, name)));
    return listOf(this.#partsByWhole.get(nameKey(resource, namespace, name)));
  }

  sourcesOf(workload: Workload): readonly RevisionSource[] {
    const own = this.#kinds.get(workload.resource)?.source.resource.id;
    // Of a kind with other sources, ControllerRevisions are histories of their own.
    const mayStandIn = workload.standIn !== undefined || this.#found.has(workload.resource);
    const found =
      mayStandIn && own === withoutOwner.resource.id ? this.#owners.sourcesOf(workload.uid) : undefined;
    return found ?? listOf(this.#sourcesByController.get(workload.uid));
  }

  orphansOf(workload: Workload): readonly RevisionSource[] {
    const kind = this.#kinds.get(workload.resource);
    if (kind === undefined || this.#found.has(kind.resource.id)) return none;
    const orphans = this.#orphansByPlace.get(placeKey(kind.source.resource.id, workload.namespace));
    if (orphans === undefined) return none;
    const selector = parseLabelSelector(workload.spec['selector']);
    const matching = [...orphans.values()].filter((orphan) => matchesSelector(selector, orphan.labels));
    if (matching.length === 0) return none;
    const before = this.#claimantsIn(placeKey(kind.source.resource.id, workload.namespace))
      .filter((other) => isBefore(other, workload))
      .map(({ spec }) => parseLabelSelector(spec['selector']));
    return matching.filter((orphan) => !before.some((other) => matchesSelector(other, orphan.labels)));
  }

  podsOf(workload: Workload): readonly PodSummary[] {
    if (this.#found.has(workload.resource)) return this.#descendantsOf(workload).pods;
    const own = listOf(this.#podsByController.get(workload.uid));
    const owner = this.#kinds.get(workload.resource)?.podOwner;
    if (owner === 'part') return this.#podsOfParts(workload);
    if (owner === 'made') return this.partsOf(workload).flatMap((made) => this.podsOf(made));
    if (owner !== 'source') return own;
    const bySource = this.sourcesOf(workload).flatMap((source) =>
      listOf(this.#podsByController.get(source.uid)),
    );
    return own.length === 0 ? bySource : [...own, ...bySource];
  }

  /**
   * A part belongs to the workload when that controls it, or a pod does that belongs to it. A pod whose controller is
   * gone already belongs to the workload that it names.
   */
  #podsOfParts(workload: Workload): PodSummary[] {
    const { resource, namespace, name } = workload;
    const named = listOf(this.#podsByWhole.get(nameKey(resource, namespace, name)));
    const pods = named.filter(
      (pod) => !this.#workloadByUid.has(pod.controllerUid ?? '') && pod.createdAt >= workload.createdAt,
    );
    const owners = new Set([workload.uid]);
    let left = this.partsOf(workload);
    for (;;) {
      const own = Map.groupBy(left, (part) => owners.has(controllerUidOf(part) ?? ''));
      const found = own.get(true);
      if (found === undefined) return pods;
      left = own.get(false) ?? none;
      for (const { uid } of found) {
        for (const pod of this.#podsByController.get(uid)?.values() ?? none) {
          pods.push(pod);
          owners.add(pod.uid);
        }
      }
    }
  }

  /** Whatever an object owns, and what that owns in turn. */
  #descendantsOf({ uid, standIn: stand }: Workload): { parts: Workload[]; pods: PodSummary[] } {
    const parts: Workload[] = [];
    const pods: PodSummary[] = [];
    const first = stand?.owner?.uid ?? uid;
    const seen = new Set([first]);
    for (const owner of seen) {
      for (const pod of this.#podsByController.get(owner)?.values() ?? none) pods.push(pod);
      for (const part of this.#childrenByController.get(owner)?.values() ?? none) {
        if (!seen.has(part.uid)) parts.push(part);
        seen.add(part.uid);
      }
      // Pods of a Deployment are those of its ReplicaSets.
      if (owner !== first)
        for (const key of this.#sourcesByController.get(owner)?.keys() ?? none) seen.add(key);
    }
    return { parts, pods };
  }

  revisionsOfComponent(namespace: string, component: string): readonly RevisionSource[] {
    return listOf(this.#sourcesByComponent.get(placeKey(component, namespace)));
  }

  historyOf({ uid }: RevisionSource): Workload | undefined {
    return this.#owners.workloadOf(uid);
  }

  eventsOf(uid: string): readonly EventSummary[] {
    return this.#events.of(uid);
  }

  template(bodyId: string): Template | undefined {
    return this.#parts.bodies.read(bodyId);
  }

  unreadable(bodyId: string): string | null {
    return this.#parts.bodies.problemOf(bodyId);
  }

  states(namespace?: string): readonly ResourceState[] {
    return this.#parts.states(namespace);
  }

  /** That of the whole for a part of it: whatever changes in a part is noted there alone. */
  versionOf(workload: Workload): number {
    const whole = this.#wholeOf(workload);
    const uid = whole === null ? workload.uid : this.#workloads.get(whole)?.uid;
    return this.#versions.get(uid ?? '') ?? 0;
  }

  changeWorkload(change: StoreChange<Workload>): void {
    const workload = change.value;
    this.#releaseReplaced(change);
    this.#dateEdit(change);
    this.#changeChild(change);
    this.#changeMade(change);
    if (this.#found.has(workload.resource)) {
      this.#owners.changeObject(change.type, workload);
      return;
    }
    if (change.type !== 'added') this.#forgetPart(change.previous);
    const whole = this.#wholeOf(workload);
    if (whole !== null) {
      this.#changePart(change, whole);
      return;
    }
    if (change.type !== 'updated' || !isSameSelector(change.value, change.previous)) {
      const kind = this.#kinds.get(workload.resource);
      if (kind !== undefined) this.#look(kind.source.resource.id, workload.namespace);
    }
    if (change.type === 'deleted') this.#hide(workload);
    else this.#show(workload);
  }

  /** managedFields keep their times when an edit only takes something away: then it was made just before it came here. */
  #dateEdit(change: StoreChange<Workload>): void {
    if (change.type !== 'updated') return;
    const { value, previous } = change;
    const { now = Date.now } = this.#parts;
    const seen = value.generation > previous.generation ? new Date(now()).toISOString() : previous.editedAt;
    if (seen != null && seen > (value.editedAt ?? '')) value.editedAt = seen;
  }

  #show(workload: Workload): void {
    const { resource, namespace, name, uid } = workload;
    this.#workloads.set(nameKey(resource, namespace, name), workload);
    this.#workloadByUid.set(uid, workload);
    this.#mark(workload);
    // Its revisions may have come before it, and have been taken for what is left of one that is gone.
    if (workload.standIn === undefined && this.#owners.sourcesOf(uid) !== undefined) this.#lookForOwner(uid);
  }

  #hide(workload: Workload): void {
    const { resource, namespace, name, uid } = workload;
    const key = nameKey(resource, namespace, name);
    // A workload of the same name may have been made again before the deletion was noticed.
    if (this.#workloads.get(key)?.uid === uid) this.#workloads.delete(key);
    if (this.#workloadByUid.get(uid)?.standIn === workload.standIn) this.#workloadByUid.delete(uid);
    this.#mark(workload);
    if (workload.standIn === undefined) this.#lookForOwner(uid);
  }

  /** What a workload has made is found by it, and its changes are changes of that one. */
  #changeChild(change: StoreChange<Workload>): void {
    if (change.type !== 'added')
      removeFrom(this.#childrenByController, controllerUidOf(change.previous) ?? null, change.previous.uid);
    const controller = controllerUidOf(change.value);
    if (controller === undefined) return;
    if (change.type !== 'deleted') addTo(this.#childrenByController, controller, change.value);
    this.#markOwners(controller);
  }

  /** What names its maker is found by it, and its changes are changes of that one too. */
  #changeMade(change: StoreChange<Workload>): void {
    if (change.type !== 'added') {
      for (const key of this.#makersOf(change.previous)) {
        removeFrom(this.#madeByMaker, key, change.previous.uid);
        this.#markMaker(key);
      }
    }
    if (change.type === 'deleted') return;
    for (const key of this.#makersOf(change.value)) {
      addTo(this.#madeByMaker, key, change.value);
      this.#markMaker(key);
    }
  }

  /** Keys of the workloads that this one says it was made for. */
  #makersOf(workload: Workload): string[] {
    if (workload.standIn !== undefined || this.#wholeOf(workload) !== null) return [];
    return this.#makers.flatMap((kind) => {
      const maker = kind.makerOf?.(workload) ?? null;
      return maker === null ? [] : [nameKey(maker.resource, workload.namespace, maker.name)];
    });
  }

  /** Revisions without a controller are those of whose selector they match, else histories of their own. */
  #settleUnclaimed(): void {
    for (const place of this.#unclaimed) {
      const orphans = listOf(this.#orphansByPlace.get(place));
      const selectors = orphans.length === 0 ? none : this.#selectorsIn(place);
      for (const orphan of orphans) {
        const isClaimed = selectors.some((selector) => matchesSelector(selector, orphan.labels));
        this.#owners.changeSource(isClaimed ? 'deleted' : 'updated', orphan);
      }
    }
    this.#unclaimed.clear();
  }

  #selectorsIn(place: string) {
    return this.#claimantsIn(place).map(({ spec }) => parseLabelSelector(spec['selector']));
  }

  /** Workloads whose selectors revisions without a controller may match. */
  #claimantsIn(place: string): Workload[] {
    return [...this.#workloads.values()].filter(({ resource, namespace }) => {
      const kind = this.#kinds.get(resource);
      if (kind === undefined || this.#found.has(resource)) return false;
      return placeKey(kind.source.resource.id, namespace) === place;
    });
  }

  /** A workload of a kind that we know has come or gone, or revisions have come before it. */
  #lookForOwner(uid: string): void {
    const [first] = this.#sourcesByController.get(uid)?.values() ?? none;
    if (first?.resource !== withoutOwner.resource.id || lostGroupOf(first) === null) return;
    this.#lost.add(uid);
    this.#flushSoon();
  }

  /** The workload itself, and not what stands in for it. */
  #isThere(uid: string): boolean {
    const workload = this.#workloadByUid.get(uid);
    return workload !== undefined && workload.standIn === undefined;
  }

  /** Histories whose workloads of our own kinds are not there stand by themselves, as long as there is anything of them. */
  #settleLost(): void {
    const onTheirWay = new Map<string, boolean>();
    for (const uid of this.#lost) {
      const isThere = this.#isThere(uid);
      if (isThere && this.#owners.sourcesOf(uid) === undefined) continue;
      const sources = listOf(this.#sourcesByController.get(uid));
      if (!isThere && sources.some((source) => this.#isOnItsWay(source, onTheirWay))) {
        this.#awaited.add(uid);
        continue;
      }
      for (const source of sources) {
        if (this.#owners.changeSource(isThere ? 'found' : 'lost', source)) this.#parts.onOwnerType?.();
      }
    }
    this.#lost.clear();
  }

  /** Not all of its kind have been read. Of a kind that is not served nothing will come. */
  #isOnItsWay(
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
    const state = this.#parts.states(namespace).find(({ resource }) => resource === kind?.resource.id);
    const isOnItsWay = state !== undefined && !state.synced;
    known.set(key, isOnItsWay);
    return isOnItsWay;
  }

  #look(source: string, namespace: string): void {
    const place = placeKey(source, namespace);
    if (source !== withoutOwner.resource.id || !this.#orphansByPlace.has(place)) return;
    this.#unclaimed.add(place);
    this.#flushSoon();
  }

  /** A part is kept for its whole alone, and its changes are changes of that one. */
  #changePart(change: StoreChange<Workload>, whole: string): void {
    const part = change.value;
    const key = nameKey(part.resource, part.namespace, part.name);
    if (this.#workloads.get(key)?.uid === part.uid) {
      // It was a workload of its own until now.
      this.#workloads.delete(key);
      this.#workloadByUid.delete(part.uid);
      this.#mark(part);
    }
    if (change.type === 'deleted') {
      this.#workloadByUid.delete(part.uid);
      this.#lookForOwner(part.uid);
    } else {
      if (!this.#isThere(part.uid)) this.#lookForOwner(part.uid);
      this.#workloadByUid.set(part.uid, part);
      addTo(this.#partsByWhole, whole, part);
    }
    this.#markWhole(whole);
  }

  #forgetPart(part: Workload): void {
    const whole = this.#wholeOf(part);
    if (whole === null) return;
    removeFrom(this.#partsByWhole, whole, part.uid);
    this.#markWhole(whole);
  }

  /** Key of the workload that this one is a part of. */
  #wholeOf(workload: Workload): string | null {
    const whole = this.#kinds.get(workload.resource)?.partOf?.(workload) ?? null;
    return whole === null ? null : nameKey(whole.resource, workload.namespace, whole.name);
  }

  /** Keys of the workloads that a pod names; most pods name none. */
  #wholesOfPod(pod: PodSummary): string[] {
    if (pod.marks === undefined) return [];
    return this.#naming.flatMap((kind) => {
      const whole = kind.wholeOfPod?.(pod) ?? null;
      return whole === null ? [] : [nameKey(whole.resource, pod.namespace, whole.name)];
    });
  }

  #markWhole(key: string): void {
    const whole = this.#workloads.get(key);
    if (whole !== undefined) this.#mark(whole);
  }

  changeSource(change: StoreChange<RevisionSource>): void {
    if (change.type !== 'added') this.#forgetSource(change.previous);
    this.#releaseReplaced(change);
    const source = change.value;
    if (change.type !== 'deleted') {
      this.#sourceByUid.set(source.uid, source);
      if (source.controllerUid === null) {
        addTo(this.#orphansByPlace, placeKey(source.resource, source.namespace), source);
      } else {
        addTo(this.#sourcesByController, source.controllerUid, source);
      }
      const component = componentOf(source);
      if (component !== null) addTo(this.#sourcesByComponent, placeKey(component, source.namespace), source);
    }
    this.#changeOwned(change);
    this.#markUid(source.controllerUid);
    if (change.type !== 'added' && change.previous.controllerUid !== source.controllerUid) {
      this.#markUid(change.previous.controllerUid);
    }
  }

  #changeOwned(change: StoreChange<RevisionSource>): void {
    const { type, value } = change;
    if (value.resource !== withoutOwner.resource.id) return;
    if (type === 'deleted' || value.controllerUid !== null) {
      if (this.#owners.changeSource(type, value)) this.#parts.onOwnerType?.();
      const { controllerUid } = value;
      if (controllerUid !== null && !this.#isThere(controllerUid)) this.#lookForOwner(controllerUid);
    } else this.#look(value.resource, value.namespace);
  }

  changePod(change: StoreChange<PodSummary>): void {
    if (change.type !== 'added') {
      removeFrom(this.#podsByController, change.previous.controllerUid, change.previous.uid);
      for (const whole of this.#wholesOfPod(change.previous))
        removeFrom(this.#podsByWhole, whole, change.previous.uid);
    }
    const pod = change.value;
    const wholes = this.#wholesOfPod(pod);
    if (change.type === 'deleted') {
      this.#podByUid.delete(pod.uid);
    } else {
      this.#podByUid.set(pod.uid, pod);
      if (pod.controllerUid !== null) addTo(this.#podsByController, pod.controllerUid, pod);
      for (const whole of wholes) addTo(this.#podsByWhole, whole, pod);
    }
    this.#markUid(pod.controllerUid);
    for (const whole of wholes) this.#markWhole(whole);
  }

  addEvent(event: EventSummary): void {
    this.#events.add(event);
    const uid = event.object.uid;
    this.#markUid(this.#podByUid.get(uid)?.controllerUid ?? uid);
  }

  removeEvent(event: EventSummary): void {
    this.#events.remove(event);
  }

  #forgetSource(source: RevisionSource): void {
    this.#sourceByUid.delete(source.uid);
    removeFrom(this.#sourcesByController, source.controllerUid, source.uid);
    removeFrom(this.#orphansByPlace, placeKey(source.resource, source.namespace), source.uid);
    const component = componentOf(source);
    if (component !== null)
      removeFrom(this.#sourcesByComponent, placeKey(component, source.namespace), source.uid);
  }

  /** Each value that was taken in holds its body once; what goes lets go. */
  #releaseReplaced(change: StoreChange<{ bodyId: string }>): void {
    if (change.type === 'added') return;
    this.#release(change.previous.bodyId);
    if (change.type === 'deleted' && change.value !== change.previous) this.#release(change.value.bodyId);
  }

  #release(bodyId: string): void {
    this.#parts.bodies.release(bodyId);
    if (!this.#parts.bodies.has(bodyId)) this.#parts.semantic.forget(bodyId);
  }

  /** Finds the workload behind a controller: the workload itself, or the owner of a source object. */
  #markUid(uid: string | null | undefined): void {
    if (uid === null || uid === undefined) return;
    const workload =
      this.#workloadByUid.get(uid) ??
      this.#workloadByUid.get(this.#sourceByUid.get(uid)?.controllerUid ?? '');
    if (workload === undefined) {
      this.#markOwners(uid);
      return;
    }
    const whole = this.#wholeOf(workload);
    if (whole === null) this.#mark(workload);
    else this.#markWhole(whole);
    this.#markOwners(uid);
  }

  /** Histories of a controller, and of what owns it in turn, that were found by their revisions. */
  #markOwners(uid: string): void {
    let at: string | null | undefined = uid;
    for (let steps = 0; at != null && steps < OWNERS_MAX; steps += 1) {
      for (const workload of this.#owners.shownOf(at)) this.#mark(workload);
      const object: Workload | undefined = this.#owners.object(at) ?? this.#workloadByUid.get(at);
      at = object === undefined ? this.#sourceByUid.get(at)?.controllerUid : controllerUidOf(object);
    }
  }

  #mark(workload: Workload): void {
    this.#note(workload);
    for (const key of this.#makersOf(workload)) this.#markMaker(key);
  }

  #markMaker(key: string): void {
    const maker = this.#workloads.get(key);
    if (maker !== undefined) this.#note(maker);
  }

  #note({ uid, resource, namespace, name }: Workload): void {
    if (this.#workloadByUid.has(uid)) this.#versions.set(uid, (this.#versions.get(uid) ?? 0) + 1);
    else this.#versions.delete(uid);
    this.#dirty.set(uid, { uid, resource, namespace, name });
    this.#flushSoon();
  }

  /** What has changed is told all the same, and so is what changes later. */
  #guarded(settle: () => void): void {
    try {
      settle();
    } catch (error) {
      this.#parts.onError?.(error);
    }
  }

  #flushSoon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => {
      this.#guarded(() => this.#settleUnclaimed());
      this.#guarded(() => this.#settleLost());
      this.#flushing = false;
      const keys = [...this.#dirty.values()];
      this.#dirty.clear();
      this.#parts.onChange(keys);
    });
  }
}

/** Of several workloads whose selectors match a revision the oldest has it. */
function isBefore(a: Workload, b: Workload): boolean {
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

function placeKey(resource: string, namespace: string): string {
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
