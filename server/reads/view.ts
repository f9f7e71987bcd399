import 'server-only';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { type WorkloadItem } from '@/lib/api/workloads';
import { type History, type Revision } from '@/lib/history/revision';
import { AppError } from '@/lib/errors';
import { askedTemplate } from '@/lib/workloads/asked-template';
import { statusUnder } from '@/lib/rollout/status-under';
import { blockersOf } from '@/lib/workloads/blockers';
import { type RecordMark } from '@/lib/ledger/mark';
import { type WorkloadKind } from '@/lib/workloads/kind';
import { type PodSummary } from '@/lib/workloads/pod';
import { kindLabel } from '@/lib/workloads/resource';
import { type WorkloadState, type WorkloadStatus } from '@/lib/workloads/status';
import { type Workload, type WriteMark } from '@/lib/workloads/workload';
import { type Cluster } from '@/server/cluster/cluster';
import { type Keys } from '@/server/keys';
import { maskAnnotations, maskText } from '@/server/mask';
import { deriveRolloutView, type RolloutView } from '@/server/reads/rollout-view';
import { withRecord } from '@/server/reads/last-rollout';
import { type LatestMarks } from '@/server/reads/latest-marks';

/** Histories are small, but their derived objects are not: keep those that pages look at. */
const HISTORIES_MAX = 300;

/** A workload with everything that is derived from the present state of the cache. */
export interface WorkloadView {
  kind: WorkloadKind;
  workload: Workload;
  history: History;
  status: WorkloadStatus;
  pods: readonly PodSummary[];
  /** See `HistoryInput.parts`. */
  parts?: readonly Workload[];
  /** The rollout in steps that the status takes into account. Absent: none moves it. */
  rollout?: RolloutView;
}

/** How long a judgement that time alone may change is kept: after minutes without progress a pod counts as stuck. */
const UNSETTLED_KEPT_MS = 15_000;

/** Work ahead that a request or a change may have to wait for. */
const SLICE_MS = 5;

interface Derived<T> {
  version: string;
  /** Id of the cluster, which is learned only once the API server has been reached. */
  cluster: string;
  /** Milliseconds since the epoch; Infinity when only a change of the cluster can make it wrong. */
  until: number;
  value: T;
}

interface Row extends Derived<WorkloadItem> {
  /** The same with what the record says of its last rollout. */
  marked?: { mark: RecordMark; item: WorkloadItem };
}

/** Derives views and list rows from the cache, once per version of a workload, and again while one is on its way. */
export class ViewCache {
  readonly #cluster: Cluster;
  readonly #keys: Keys;
  readonly #now: () => number;
  readonly #views = new LRUCache<string, Derived<WorkloadView>>({ max: HISTORIES_MAX });
  readonly #items = new Map<string, Row>();
  readonly #marks: Pick<LatestMarks, 'of'> | undefined;

  /** Without `marks` rows say nothing that only the archive knows. */
  constructor(cluster: Cluster, keys: Keys, now: () => number = Date.now, marks?: Pick<LatestMarks, 'of'>) {
    this.#cluster = cluster;
    this.#keys = keys;
    this.#now = now;
    this.#marks = marks;
  }

  view(workload: Workload): WorkloadView {
    const known = this.#views.get(workload.uid);
    if (this.#isFresh(known, workload)) return known.value;
    const view = this.#derive(workload);
    this.#views.set(workload.uid, this.#kept(workload, view, view));
    return view;
  }

  item(workload: Workload): WorkloadItem {
    const row = this.#row(workload);
    const mark = this.#marks?.of(workload.uid);
    if (mark === undefined) return row.value;
    if (row.marked?.mark !== mark) row.marked = { mark, item: withRecord(row.value, mark, this.#keys) };
    return row.marked.item;
  }

  /**
   * Derives every row ahead of the first question, in slices that let others have their turn. A row takes a tenth of
   * a millisecond: of ten thousand, somebody would have to wait a second.
   */
  async warm(): Promise<void> {
    let sliceEnd = performance.now() + SLICE_MS;
    for (const workload of this.#cluster.cache.workloads()) {
      this.item(workload);
      if (performance.now() < sliceEnd) continue;
      await nextTurn();
      sliceEnd = performance.now() + SLICE_MS;
    }
  }

  /** Judges the unsettled rows again and returns those whose state the passing of time has changed. */
  outdated(): WorkloadItem[] {
    const changed: WorkloadItem[] = [];
    for (const { until, value } of [...this.#items.values()]) {
      if (until > this.#now()) continue;
      const workload = this.#cluster.cache.workload(value.resource, value.namespace, value.name);
      if (workload?.uid !== value.uid) continue;
      this.#views.delete(value.uid);
      if (this.item(workload).message !== value.message) changed.push(value);
    }
    return changed;
  }

  forget(uid: string): void {
    this.#views.delete(uid);
    this.#items.delete(uid);
  }

  /** What the cluster alone says. */
  #row(workload: Workload): Row {
    const known = this.#items.get(workload.uid);
    if (this.#isFresh(known, workload)) return known;
    const view = this.#derive(workload);
    const row: Row = this.#kept(workload, view, itemOf(this.#cluster.identity.id, view, this.#keys));
    this.#items.set(workload.uid, row);
    return row;
  }

  #derive(workload: Workload): WorkloadView {
    return deriveView(this.#cluster, workload, this.#now());
  }

  #isFresh<Known extends Derived<unknown>>(known: Known | undefined, workload: Workload): known is Known {
    return (
      known?.version === versionOf(this.#cluster, workload) &&
      known.cluster === this.#cluster.identity.id &&
      known.until > this.#now()
    );
  }

  #kept<T>(workload: Workload, { status, rollout }: WorkloadView, value: T): Derived<T> {
    const settledUntil = rollout === undefined ? Infinity : rollout.system.validUntil(rollout.input);
    const until = isSettled(status.state) ? Infinity : this.#now() + UNSETTLED_KEPT_MS;
    return {
      version: versionOf(this.#cluster, workload),
      cluster: this.#cluster.identity.id,
      until: Math.min(until, settledUntil),
      value,
    };
  }
}

function isSettled(state: WorkloadState): boolean {
  return state === 'complete' || state === 'held' || state === 'paused';
}

/** Of a workload and of what moves it in steps: both count by themselves. */
function versionOf({ cache, rollouts }: Cluster, workload: Workload): string {
  const own = String(cache.versionOf(workload));
  const objects = rollouts.rolloutsOf(workload);
  return objects.length === 0
    ? own
    : `${own} ${objects.map((object) => `${object.uid} ${rollouts.versionOf(object)}`).join()}`;
}

/** Derives history and status from the cache as it is now, judged at `nowMs`. */
export function deriveView(cluster: Cluster, workload: Workload, nowMs: number): WorkloadView {
  const alone = deriveAlone(cluster, workload, nowMs);
  const [object] = cluster.rollouts.rolloutsOf(workload);
  if (object === undefined) return alone;
  const view = (one: Workload) => (one.uid === workload.uid ? alone : deriveAlone(cluster, one, nowMs));
  const rollout = deriveRolloutView(cluster, { view }, object, nowMs);
  const blockers = rollout.input.auxiliaries.flatMap(({ history, pods }) =>
    // A canary counts its revisions by itself: its numbers mean nothing to the workload.
    blockersOf(history, pods, { proven: true }).map((blocker) => ({ ...blocker, revision: null })),
  );
  // What pauses itself is paused.
  const isPaused = object.uid === workload.uid && alone.status.state === 'paused';
  const status = isPaused ? alone.status : statusUnder(alone.status, rollout.rollout, blockers);
  return { ...alone, status, rollout };
}

/** The same without what moves it in steps. */
function deriveAlone(cluster: Cluster, workload: Workload, nowMs: number): WorkloadView {
  const { cache } = cluster;
  const kind = cache.kindOf(workload.resource);
  if (kind === undefined) {
    throw new AppError('not_found', `Shiplog does not know the resource ${workload.resource}.`);
  }
  const input = {
    workload,
    sources: cache.sourcesOf(workload),
    orphans: cache.orphansOf(workload),
    pods: cache.podsOf(workload),
    parts: cache.partsOf(workload),
  };
  const history = kind.history(input);
  const events = cache.eventsOf(workload.uid);
  const status = kind.status({ ...input, history, events, now: new Date(nowMs).toISOString() });
  return { kind, workload, history, pods: input.pods, parts: input.parts, status };
}

/** The list row of a workload, masked: what is searched in it must not tell more than what is shown. */
export function itemOf(clusterId: string, view: WorkloadView, keys: Keys): WorkloadItem {
  const { kind, workload, history, status } = view;
  return {
    cluster: clusterId,
    resource: workload.resource,
    kind: workload.standIn?.owner?.kind ?? kindLabel(kind.resource),
    namespace: workload.namespace,
    name: workload.name,
    uid: workload.uid,
    state: status.state,
    message: maskText(status.message, keys),
    ...(kind.tellsEnd === false && status.blockers.length === 0 && { untold: true as const }),
    ...(status.state === 'held' &&
      view.rollout?.rollout.state === 'waiting' && { awaitsApproval: true as const }),
    since: status.since,
    targetRevision: history.target?.number ?? null,
    targetId: history.target?.id ?? null,
    revisions: {
      total: history.revisions.length,
      live: history.revisions.filter((revision) => revision.live).length,
    },
    pods: {
      desired: status.pods.desired,
      ready: status.pods.ready,
      byRevision: podsByRevision(view),
    },
    images: (askedTemplate(view)?.images ?? []).map(({ container, image }) => ({ container, image })),
    lastRollout: lastRolloutOf(view, keys),
    createdAt: workload.createdAt,
    labels: maskAnnotations(workload.labels, keys),
  };
}

/** The write of the workload's template that is newest: evidence of who changed it last, and by when. */
export function lastTemplateWrite(workload: Workload): WriteMark | null {
  let last: WriteMark | null = null;
  for (const write of workload.writes) {
    if (!write.template) continue;
    if (last === null || (write.time ?? '') > (last.time ?? '')) last = write;
  }
  return last;
}

function podsByRevision({ history, pods }: WorkloadView): WorkloadItem['pods']['byRevision'] {
  const rows = history.revisions
    .filter((revision) => revision.pods.total > 0 || revision.target)
    .map((revision) => ({
      revision: revision.number,
      id: revision.id,
      target: revision.target,
      pods: revision.pods.total,
      ready: revision.pods.ready,
    }))
    .sort((a, b) => Number(b.target) - Number(a.target));
  const lost = pods.filter((pod) => !history.revisionOfPod.has(pod.uid));
  if (lost.length === 0) return rows;
  const ready = lost.filter((pod) => pod.ready).length;
  return [...rows, { revision: null, id: null, target: false, pods: lost.length, ready }];
}

function lastRolloutOf({ workload, history }: WorkloadView, keys: Keys): WorkloadItem['lastRollout'] {
  const { target } = history;
  const write = lastTemplateWrite(workload);
  const writer =
    write === null ? null : { manager: write.manager, operation: write.operation, time: write.time };
  if (target === null) {
    return write === null
      ? null
      : {
          from: null,
          to: null,
          startedAt: write.time,
          notAfter: null,
          writer,
          changeCause: null,
          restart: false,
          record: null,
        };
  }
  const activation = target.activations.at(-1);
  return {
    from: before(history, target)?.number ?? null,
    to: target.number,
    startedAt: activation?.from ?? null,
    notAfter: activation?.fromNotAfter ?? null,
    writer,
    changeCause:
      target.changeCause === null || target.causeInheritedFrom !== null
        ? null
        : maskText(target.changeCause, keys),
    restart: target.restart,
    record: null,
  };
}

function before(history: History, target: Revision): Revision | undefined {
  const index = history.revisions.indexOf(target);
  return index < 0 ? undefined : history.revisions[index + 1];
}
