import 'server-only';
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
}

const none: readonly never[] = [];

/** The indexes over what the reflectors keep: by name, by uid, by controller. Changes are gathered into keys. */
export class IndexedCache implements ClusterCache {
  readonly #kinds: ReadonlyMap<string, WorkloadKind>;
  readonly #parts: Parts;
  /** Kinds whose pods name them. */
  readonly #naming: readonly WorkloadKind[];
  readonly #workloads = new Map<string, Workload>();
  readonly #workloadByUid = new Map<string, Workload>();
  /** By the name of the whole. */
  readonly #partsByWhole = new Map<string, Map<string, Workload>>();
  readonly #sourceByUid = new Map<string, RevisionSource>();
  readonly #sourcesByController = new Map<string, Map<string, RevisionSource>>();
  readonly #orphansByPlace = new Map<string, Map<string, RevisionSource>>();
  readonly #podByUid = new Map<string, PodSummary>();
  readonly #podsByController = new Map<string, Map<string, PodSummary>>();
  /** By the name of the whole that a pod names itself. */
  readonly #podsByWhole = new Map<string, Map<string, PodSummary>>();
  readonly #events = new EventIndex();
  readonly #versions = new Map<string, number>();
  readonly #dirty = new Map<string, WorkloadKey>();
  #flushing = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#kinds = new Map(parts.kinds.map((kind) => [kind.resource.id, kind]));
    this.#naming = parts.kinds.filter((kind) => kind.wholeOfPod !== undefined);
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

  partsOf({ resource, namespace, name }: Workload): readonly Workload[] {
    return listOf(this.#partsByWhole.get(nameKey(resource, namespace, name)));
  }

  sourcesOf(workload: Workload): readonly RevisionSource[] {
    return listOf(this.#sourcesByController.get(workload.uid));
  }

  orphansOf(workload: Workload): readonly RevisionSource[] {
    const kind = this.#kinds.get(workload.resource);
    if (kind === undefined) return none;
    const orphans = this.#orphansByPlace.get(placeKey(kind.source.resource.id, workload.namespace));
    if (orphans === undefined) return none;
    const selector = parseLabelSelector(workload.spec['selector']);
    return [...orphans.values()].filter((orphan) => matchesSelector(selector, orphan.labels));
  }

  podsOf(workload: Workload): readonly PodSummary[] {
    const own = listOf(this.#podsByController.get(workload.uid));
    const owner = this.#kinds.get(workload.resource)?.podOwner;
    if (owner === 'part') return this.#podsOfParts(workload);
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

  eventsOf(uid: string): readonly EventSummary[] {
    return this.#events.of(uid);
  }

  template(bodyId: string): Template | undefined {
    return this.#parts.bodies.read(bodyId);
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
    const key = nameKey(workload.resource, workload.namespace, workload.name);
    this.#releaseReplaced(change);
    if (change.type !== 'added') this.#forgetPart(change.previous);
    const whole = this.#wholeOf(workload);
    if (whole !== null) {
      this.#changePart(change, whole);
      return;
    }
    if (change.type === 'deleted') {
      // A workload of the same name may have been made again before the deletion was noticed.
      if (this.#workloads.get(key)?.uid === workload.uid) this.#workloads.delete(key);
      this.#workloadByUid.delete(workload.uid);
      this.#mark(workload);
      return;
    }
    this.#workloads.set(key, workload);
    this.#workloadByUid.set(workload.uid, workload);
    this.#mark(workload);
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
    if (change.type === 'deleted') this.#workloadByUid.delete(part.uid);
    else {
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
    }
    this.#markUid(source.controllerUid);
    if (change.type !== 'added' && change.previous.controllerUid !== source.controllerUid) {
      this.#markUid(change.previous.controllerUid);
    }
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
    if (workload === undefined) return;
    const whole = this.#wholeOf(workload);
    if (whole === null) this.#mark(workload);
    else this.#markWhole(whole);
  }

  #mark(workload: Workload): void {
    const { uid, resource, namespace, name } = workload;
    if (this.#workloadByUid.has(uid)) this.#versions.set(uid, (this.#versions.get(uid) ?? 0) + 1);
    else this.#versions.delete(uid);
    this.#dirty.set(uid, { uid, resource, namespace, name });
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => {
      this.#flushing = false;
      const keys = [...this.#dirty.values()];
      this.#dirty.clear();
      this.#parts.onChange(keys);
    });
  }
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
