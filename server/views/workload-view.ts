import 'server-only';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Answer } from '@/lib/api/common';
import type { workloadItemSchema } from '@/lib/api/workloads';
import type { RevisionHistory, Revision } from '@/lib/history/revision';
import { AppError } from '@/lib/errors';
import { notAfter, type WorkloadStatus } from '@/lib/engine/status';
import { deriveStatus, deriveStatusUnderRollout } from '@/lib/messages/workload-status';
import { desiredTemplate } from '@/lib/workloads/desired-template';
import { dueActionOf } from '@/lib/rollout/due-action';
import { blockersOf } from '@/lib/pods/blockers';
import { withEventBlock } from '@/lib/pods/pod-events';
import type { RecordSummary } from '@/lib/api/record-summary';
import type { WorkloadKind } from '@/lib/workloads/kind';
import type { PodSummary } from '@/lib/history/pod';
import { kindLabel } from '@/lib/kube/resource';
import { isOpenRollout } from '@/lib/api/rollout-values';
import type { WorkloadState } from '@/lib/api/workload-values';
import type { Workload, FieldWrite } from '@/lib/history/workload';
import type { Cluster } from '@/server/cluster/cluster';
import type { Mask } from '@/server/shared/mask';
import { deriveRolloutView, type RolloutView } from '@/server/views/rollout-view';
import { withCachedJson } from '@/server/shared/response-cache';
import { maskedWriter } from '@/server/shared/masked-actor';
import { withRecord } from '@/server/views/last-rollout';
import type { LatestRecordSummaries } from '@/server/views/latest-record-summaries';
import { hiddenReason, mayQuote, type ViewRights, hideInStatus, allRights } from '@/server/views/view-rights';

/** Histories are small, but their derived objects are not: cache those that pages read. */
const HISTORIES_MAX = 300;

/** A workload with everything that is derived from the current state of the cache. */
export interface WorkloadView {
  kind: WorkloadKind;
  workload: Workload;
  history: RevisionHistory;
  status: WorkloadStatus;
  pods: readonly PodSummary[];
  /** See `HistoryInput.children`. */
  children?: readonly Workload[];
  /** The progressive rollout that the status takes into account. Absent: none drives it. */
  rollout?: RolloutView;
  /** What the texts of the status, and the warnings, may quote. */
  rights: ViewRights;
}

/** How long a status that time alone may change is cached: after minutes without progress a pod counts as stalled. */
const UNSETTLED_TTL_MS = 15_000;

/** Background work for which a request or a change may have to wait. */
const SLICE_MS = 5;

interface Derived<T> {
  version: string;
  /** Id of the cluster, which is unknown until the API server has been reached. */
  cluster: string;
  /** Milliseconds since the epoch; Infinity when only a change of the cluster can make it wrong. */
  until: number;
  value: T;
}

interface Row extends Derived<Answer<typeof workloadItemSchema>> {
  /** The same with the last rollout from its record. */
  recorded?: { summary: RecordSummary; item: Answer<typeof workloadItemSchema> };
  /** Rows for viewers who can't see pods or events, by which of them. Absent: no one has read it so far. */
  shown?: Map<string, { of: Answer<typeof workloadItemSchema>; item: Answer<typeof workloadItemSchema> }>;
}

/** Derives views and list rows from the cache, once per version of a workload, and again during a rollout. */
export class ViewCache {
  readonly #cluster: Cluster;
  readonly #mask: Mask;
  readonly #now: () => number;
  readonly #views = new LRUCache<string, Derived<WorkloadView>>({ max: HISTORIES_MAX });
  readonly #items = new Map<string, Row>();
  readonly #recordSummaries: Pick<LatestRecordSummaries, 'of'> | undefined;

  /** Without `recordSummaries` rows lack what only the archive has. */
  constructor(
    cluster: Cluster,
    mask: Mask,
    now: () => number = Date.now,
    recordSummaries?: Pick<LatestRecordSummaries, 'of'>,
  ) {
    this.#cluster = cluster;
    this.#mask = mask;
    this.#now = now;
    this.#recordSummaries = recordSummaries;
  }

  /** Everything, for the process: no viewer gets it as it is. */
  view(workload: Workload): WorkloadView {
    const known = this.#views.get(workload.uid);
    if (this.#isFresh(known, workload)) return known.value;
    const view = this.#derive(workload);
    this.#views.set(workload.uid, this.#cacheEntry(workload, view, view));
    return view;
  }

  /** The row as a viewer with these rights gets it. */
  item(workload: Workload, rights: ViewRights): Answer<typeof workloadItemSchema> {
    const row = this.#row(workload);
    const item = this.#recorded(workload, row);
    if (hiddenReason(rights) === null || !mayQuote(item)) return item;
    const key = `${rights.pods.state === 'allowed'} ${rights.events.state === 'allowed'}`;
    const known = row.shown?.get(key);
    if (known?.of === item) return known.item;
    const { status } = this.viewFor(workload, rights);
    const shown = withCachedJson({ ...item, message: this.#mask.text(status.message) });
    (row.shown ??= new Map()).set(key, { of: item, item: shown });
    return shown;
  }

  #recorded(workload: Workload, row: Row): Answer<typeof workloadItemSchema> {
    const recordSummary = this.#recordSummaries?.of(workload.uid);
    if (recordSummary === undefined) return row.value;
    if (row.recorded?.summary !== recordSummary)
      row.recorded = {
        summary: recordSummary,
        item: withCachedJson(withRecord(row.value, recordSummary, this.#mask)),
      };
    return row.recorded.item;
  }

  /** The rows of these, in their order; what would block other work is masked ahead. */
  async items(workloads: readonly Workload[]): Promise<Answer<typeof workloadItemSchema>[]> {
    const items: Answer<typeof workloadItemSchema>[] = [];
    for (const workload of workloads) {
      const known = this.#items.get(workload.uid);
      const isFresh = this.#isFresh(known, workload);
      const pending = isFresh ? null : this.#mask.prepare(workload.labels);
      if (pending !== null) await pending;
      items.push(this.#recorded(workload, isFresh ? known : this.#row(workload)));
    }
    return items;
  }

  /**
   * Derives every row ahead of the first request, in slices with other work in between. A row takes a tenth of a
   * millisecond: with ten thousand, the first request would wait a second.
   */
  async warm(): Promise<void> {
    let sliceEnd = performance.now() + SLICE_MS;
    for (const workload of this.#cluster.cache.workloads()) {
      await this.items([workload]);
      if (performance.now() < sliceEnd) continue;
      await nextTurn();
      sliceEnd = performance.now() + SLICE_MS;
    }
  }

  /** Derives the unsettled rows again and returns those whose state the passing of time has changed. */
  outdated(): Answer<typeof workloadItemSchema>[] {
    const changed: Answer<typeof workloadItemSchema>[] = [];
    for (const { until, value } of [...this.#items.values()]) {
      if (until > this.#now()) continue;
      const workload = this.#cluster.cache.workload(value.resource, value.namespace, value.name);
      if (workload?.uid !== value.uid) continue;
      this.#views.delete(value.uid);
      if (this.item(workload, allRights).message !== value.message) changed.push(value);
    }
    return changed;
  }

  forget(uid: string): void {
    this.#views.delete(uid);
    this.#items.delete(uid);
  }

  /** The row from the cluster alone. */
  #row(workload: Workload): Row {
    const known = this.#items.get(workload.uid);
    if (this.#isFresh(known, workload)) return known;
    const view = this.#derive(workload);
    const item = withCachedJson({
      ...workloadItemOf(this.#cluster.identity.id, view, this.#mask),
      ...dueActionOf(view),
    });
    const row: Row = this.#cacheEntry(workload, view, item);
    this.#items.set(workload.uid, row);
    return row;
  }

  #derive(workload: Workload): WorkloadView {
    return deriveView(this.#cluster, workload, this.#now());
  }

  /** The view as a viewer with these rights gets it. */
  viewFor(workload: Workload, rights: ViewRights): WorkloadView {
    const view = this.view(workload);
    if (hiddenReason(rights) === null) return view;
    const blind = derive(this.#cluster, workload, this.#now(), rights);
    const { warnings } = view.history;
    return {
      ...view,
      rights,
      status: hideInStatus(view.status, blind.status, rights),
      history: {
        ...view.history,
        warnings: warnings.filter((warning) => blind.history.warnings.includes(warning)),
      },
    };
  }

  #isFresh<Known extends Derived<unknown>>(known: Known | undefined, workload: Workload): known is Known {
    return (
      known?.version === versionOf(this.#cluster, workload) &&
      known.cluster === this.#cluster.identity.id &&
      (known.until === Infinity || known.until > this.#now())
    );
  }

  #cacheEntry<T>(workload: Workload, { status, rollout }: WorkloadView, value: T): Derived<T> {
    const settledUntil = rollout === undefined ? Infinity : rollout.system.validUntil(rollout.input);
    const until = isSettled(status.state) ? Infinity : this.#now() + UNSETTLED_TTL_MS;
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

/** Of a workload and of the rollout that drives it: both change independently. */
function versionOf({ cache, rollouts }: Cluster, workload: Workload): string {
  const own = String(cache.versionOf(workload));
  const objects = rollouts.rolloutsOf(workload);
  return objects.length === 0
    ? own
    : `${own} ${objects.map((object) => `${object.uid} ${rollouts.versionOf(object)}`).join()}`;
}

/** Derives history and status from the current cache, assessed at `nowMs`. */
export function deriveView(cluster: Cluster, workload: Workload, nowMs: number): WorkloadView {
  return derive(cluster, workload, nowMs, allRights);
}

function derive(cluster: Cluster, workload: Workload, nowMs: number, rights: ViewRights): WorkloadView {
  const alone = deriveOwn(cluster, workload, nowMs, rights);
  const [object] = cluster.rollouts.rolloutsOf(workload);
  if (object === undefined) return alone;
  const view = (one: Workload) => (one.uid === workload.uid ? alone : deriveOwn(cluster, one, nowMs, rights));
  const rollout = deriveRolloutView(cluster, { view }, object, nowMs);
  const blockers = rollout.input.auxiliaries.flatMap(({ history, pods }) =>
    // A canary counts its revisions by itself: the workload does not have its numbers.
    blockersOf(history, pods, { proven: true, now: new Date(nowMs).toISOString() }).map((blocker) => ({
      ...blocker,
      revision: null,
    })),
  );
  const { state, message, since } = rollout.rollout;
  const isWorkload = object.uid === workload.uid;
  const status = deriveStatusUnderRollout(alone.status, { state, message, since, isWorkload, blockers });
  return { ...alone, status, rollout };
}

/** The same without the rollout that drives it. */
export function deriveOwnView(cluster: Cluster, workload: Workload, nowMs: number): WorkloadView {
  return deriveOwn(cluster, workload, nowMs, allRights);
}

function deriveOwn(cluster: Cluster, workload: Workload, nowMs: number, rights: ViewRights): WorkloadView {
  const kind = cluster.cache.kindOf(workload.resource);
  if (kind === undefined) {
    throw new AppError('not_found', `Shiplog does not know the resource ${workload.resource}.`);
  }
  const whole = historyInputOf(cluster, workload);
  const input = { ...whole, pods: visiblePods(cluster, whole.pods, rights) };
  const history = kind.history(input);
  const events = rights.events.state === 'allowed' ? eventsAbout(cluster, whole) : [];
  const now = new Date(nowMs).toISOString();
  const derived = notAfter(deriveStatus(kind.facts({ ...input, history, events, now })), now);
  const blockers = derived.blockers.map((blocker) => ({ ...blocker, block: notAfter(blocker.block, now) }));
  const status = { ...derived, blockers };
  return { kind, workload, history, pods: input.pods, children: input.children, status, rights };
}

function visiblePods(
  { cache }: Cluster,
  pods: readonly PodSummary[],
  rights: ViewRights,
): readonly PodSummary[] {
  if (rights.pods.state !== 'allowed') return [];
  if (rights.events.state !== 'allowed') return pods;
  return pods.map((pod) => withEventBlock(pod, (uid) => cache.eventsOf(uid)));
}

/** Events of the workload, and of the children that create its pods. */
function eventsAbout({ cache }: Cluster, { workload, children }: ReturnType<typeof historyInputOf>) {
  return [workload, ...children].flatMap(({ uid }) => cache.eventsOf(uid));
}

/** The workload with everything that the cache has of it. */
export function historyInputOf({ cache }: Pick<Cluster, 'cache'>, workload: Workload) {
  return {
    workload,
    sources: cache.sourcesOf(workload),
    orphans: cache.orphansOf(workload),
    pods: cache.podsOf(workload),
    children: cache.childrenOf(workload),
  };
}

/** The list row of a workload, masked: a search in it must not reveal more than it shows. */
export function workloadItemOf(
  clusterId: string,
  view: WorkloadView,
  mask: Mask,
): Answer<typeof workloadItemSchema> {
  const { kind, workload, history, status } = view;
  return {
    cluster: clusterId,
    resource: workload.resource,
    kind: workload.placeholder?.owner?.kind ?? kindLabel(kind.resource),
    namespace: workload.namespace,
    name: workload.name,
    uid: workload.uid,
    state: status.state,
    message: mask.text(status.message),
    ...(kind.producer !== undefined && status.blockers.length === 0 && { unreported: true as const }),
    ...(status.state === 'held' &&
      view.rollout?.rollout.state === 'waiting' && { awaitsApproval: true as const }),
    ...(isHeldByRollout(view) && { heldByRollout: true as const }),
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
    images: mask.images(desiredTemplate(view)?.images ?? []),
    lastRollout: lastRolloutOf(view, mask),
    createdAt: workload.createdAt,
    labels: mask.annotations(workload.labels),
  };
}

/** A rollout that needs no action holds pods by a pause or a partition that it lifts itself. */
function isHeldByRollout({ status, rollout }: WorkloadView): boolean {
  if (rollout === undefined || !['held', 'paused', 'waiting'].includes(status.state)) return false;
  const { state } = rollout.rollout;
  return isOpenRollout(state) && state !== 'waiting' && state !== 'paused';
}

/** The newest write of the workload's template: evidence of who changed it last, and by when. */
export function lastTemplateWrite(workload: Workload): FieldWrite | null {
  let last: FieldWrite | null = null;
  for (const write of workload.writes) {
    if (!write.template) continue;
    if (last === null || (write.time ?? '') > (last.time ?? '')) last = write;
  }
  return last;
}

function podsByRevision({
  history,
  pods,
}: WorkloadView): Answer<typeof workloadItemSchema>['pods']['byRevision'] {
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
  const unassigned = pods.filter((pod) => !history.revisionOfPod.has(pod.uid));
  if (unassigned.length === 0) return rows;
  const ready = unassigned.filter((pod) => pod.ready).length;
  return [...rows, { revision: null, id: null, target: false, pods: unassigned.length, ready }];
}

function lastRolloutOf(
  { workload, history }: WorkloadView,
  mask: Mask,
): Answer<typeof workloadItemSchema>['lastRollout'] {
  const { target } = history;
  const write = lastTemplateWrite(workload);
  const writer = maskedWriter(write, mask);
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
  // No rollout led to the revision that the workload adopted with its pods.
  if (target.number !== null && target.numbersBefore.includes(target.number)) return null;
  const activation = target.activations.at(-1);
  return {
    from: previousRevision(history, target)?.number ?? null,
    to: target.number,
    startedAt: activation?.from ?? null,
    notAfter: activation?.fromNotAfter ?? null,
    writer,
    changeCause: mask.text(target.causeInheritedFrom === null ? target.changeCause : null),
    restart: target.restart,
    record: null,
  };
}

function previousRevision(history: RevisionHistory, target: Revision): Revision | undefined {
  const index = history.revisions.indexOf(target);
  return index < 0 ? undefined : history.revisions[index + 1];
}
