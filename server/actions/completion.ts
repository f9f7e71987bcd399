import type { Action } from '@/lib/api/action';
import type { Group } from '@/lib/workloads/groups';
import type { PodSummary } from '@/lib/history/pod';
import { capitalize, formatCount, formatUtc } from '@/lib/format/text';
import { formatRevision } from '@/lib/history/revision';
import { numberAt } from '@/lib/kube/read';
import { actsByItself } from '@/lib/owners/markers';
import type { Expectation } from '@/server/audit/audit';
import { hasValues } from '@/lib/workloads/patch';
import { lastTemplateWrite, type WorkloadView } from '@/server/views/workload-view';

/** The state of the cluster that the follower assesses. */
export interface Snapshot<View> {
  /** Undefined when no object of that uid exists. */
  view: View | undefined;
  /** Milliseconds since the epoch. */
  now: number;
  /** When the cache last heard from the API server. */
  observedAt: number | null;
}

interface WorkloadSnapshot extends Snapshot<WorkloadView> {
  /** The key of its desired template; see `desiredTemplateKey`. Null: unknown at present. */
  template: string | null | undefined;
  /** What the owners of the workload do to a change; empty where none is known. */
  owners: string;
}

/** The state of a write. */
export interface SentWrite {
  /** Milliseconds since the epoch. */
  at: number;
  /** Whether the API server has confirmed it, or the cluster shows it. */
  isSure: boolean;
}

export type Assessment = Pick<Action, 'state' | 'message' | 'recordedAs' | 'progress' | 'undoneBy'>;

/**
 * A write whose answer got lost has arrived this long after it was sent, or never does: API servers time out
 * sooner.
 */
export const ARRIVAL_MS = 90_000;

/** The number comes by another watch than the status, a moment sooner or later. */
const NUMBERING_MS = 30_000;

/** The follower waits no longer; the workload's own page continues to show its state. */
export const FOLLOW_MS = 24 * 60 * 60 * 1000;

/**
 * The state of an action, from the current state alone: a missed change or a restart loses nothing. `done`
 * and `failed` are final.
 */
export function assessCompletion(
  action: Action,
  expectation: Expectation,
  sent: SentWrite,
  snapshot: WorkloadSnapshot,
): Assessment {
  const { view } = snapshot;
  const { recordedAs, progress } = action;
  if (view === undefined) {
    const message = `${action.name} was deleted before this completed.`;
    return { state: 'failed', message, recordedAs, progress };
  }
  const [judged, message, undoneBy] = judge(action, expectation, sent, { ...snapshot, view });
  if (judged === 'lost') return { state: 'failed', message, recordedAs, progress };
  if (judged === 'pending') {
    const state = action.state === 'following' ? 'following' : 'accepted';
    return { state, message, recordedAs, progress };
  }
  if (judged === 'undone') return { state: 'failed', message, recordedAs, progress, undoneBy };
  const { desired, updated, ready } = view.status.pods;
  return {
    state: judged,
    message,
    recordedAs: isRecorded(action) ? numberOf(action, view) : null,
    progress: { desired, updated, ready },
  };
}

/** `pending`: nothing of the write shows so far; `lost`: and nothing ever will; `undone`: by this field manager. */
type Judgement = readonly [
  state: 'pending' | 'lost' | 'following' | 'done' | 'failed' | 'undone',
  message: string,
  undoneBy?: string,
];

function judge(
  action: Action,
  expectation: Expectation,
  sent: SentWrite,
  { view, template, now, observedAt, owners }: WorkloadSnapshot & { view: WorkloadView },
): Judgement {
  const { status, workload, kind, history } = view;
  const startedMs = Date.parse(action.startedAt);
  if (now - startedMs > FOLLOW_MS)
    return ['failed', `Not completed after 24 hours: ${status.message}. Shiplog stopped tracking it.`];
  if (!sent.isSure && isNotVisible(expectation, view, template))
    return isTooLate(sent.at, observedAt) ? ['lost', NEVER_ARRIVED] : ['pending', NOT_VISIBLE_YET];
  if (expectation.until === 'replaced') return judgePodReplacement(expectation, view);
  if (expectation.until === 'released')
    return ['done', 'The next apply overwrites the rollback without a conflict.'];
  if (workload.generation < expectation.generation)
    return ['pending', 'Applied; waiting for the cluster to report it.'];
  const observed = numberAt(workload.status, 'observedGeneration') ?? 0;
  const isObserved = kind.writes.isObserved?.(view) ?? observed >= expectation.generation;
  if (expectation.until === 'observed')
    return isObserved ? ['done', 'Observed by the controller.'] : ['pending', UNOBSERVED];
  const isExpected = template === expectation.template;
  if (!isExpected && template !== null && template !== expectation.before)
    return (template === expectation.replaces ? undone(owners, view) : null) ?? superseded(sent, view);
  if (!isExpected || !isObserved) return ['pending', UNOBSERVED];
  // A restart that leaves the template as it is gets no number.
  const isNumbered = expectation.template !== expectation.replaces && history.target !== null;
  if (isNumbered && numberOf(action, view) === null && now - startedMs < NUMBERING_MS)
    return ['following', 'Observed by the controller; its new revision number is pending.'];
  return judgeWorkloadRollout(action, view, now);
}

/** Whether the cluster shows nothing that the write would have changed. */
function isNotVisible(
  { until, pod, generation, sets, template: expected, replaces, before }: Expectation,
  { pods, workload }: WorkloadView,
  template: WorkloadSnapshot['template'],
): boolean {
  if (until === 'replaced') return pods.some(({ uid, deletedAt }) => uid === pod?.uid && deletedAt === null);
  if (until === 'released') return workload.writes.some(({ templateOnly }) => templateOnly);
  if (workload.generation < generation) return true;
  if (sets !== undefined && !hasValues({ spec: workload.spec }, sets)) return true;
  if (template === null || template === expected) return template === null;
  return template === replaces || template === before;
}

/** Whether a write that was sent then would have arrived by now. */
export function isTooLate(sentAt: number, observedAt: number | null): boolean {
  return (observedAt ?? 0) > sentAt + ARRIVAL_MS;
}

export const NOT_VISIBLE_YET =
  'The API server did not respond, and the cluster does not show the change yet. It may still arrive.';
export const NEVER_ARRIVED = `The request never arrived: the API server did not respond, and nothing changed within ${ARRIVAL_MS / 1_000} seconds.`;

const UNOBSERVED = 'Applied; waiting for the controller to observe it.';

function judgeWorkloadRollout(action: Action, view: WorkloadView, now: number): Judgement {
  const { history, status } = view;
  const { target } = history;
  if (target === null) {
    const paused = status.state === 'paused' ? ': the workload is paused' : '';
    return ['following', `The template has no revision yet${paused}.`];
  }
  const on = formatRevision(target);
  const readyOf = (count: number) =>
    `${count} of ${formatCount(status.pods.desired, 'pod')} ready on revision ${on}`;
  const ready = readyOf(target.pods.ready);
  switch (status.state) {
    case 'complete':
      // The pods arrive by another watch than the status, and may not be listed at all.
      return ['done', `Complete: ${status.pods.desired === 0 ? 'scaled to 0' : readyOf(status.pods.ready)}.`];
    case 'scaling':
      return ['done', `Complete; scaling: ${readyOf(status.pods.ready)}.`];
    case 'held':
      return ['done', `Done; remaining steps are manual: ${status.message}.`];
    case 'waiting':
      return ['done', `Recorded as revision ${on}. ${capitalize(status.message)}.`];
    case 'deadlineExceeded':
      return isOfEarlierRollout(action, view, now)
        ? ['following', `${ready}.`]
        : ['failed', `${capitalize(status.message)}.`];
    case 'paused':
    case 'stuck':
    case 'degraded':
    case 'failed':
      return ['following', `${ready}; ${status.state}: ${status.message}.`];
    case 'rolling':
    case 'unknown':
      return ['following', `${ready}.`];
  }
}

/**
 * The condition of the previous rollout remains until this one progresses: the controller keeps the condition
 * of a ReplicaSet that it has had before.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/sync.go
 */
function isOfEarlierRollout({ startedAt }: Action, { status, workload }: WorkloadView, now: number): boolean {
  const started = Date.parse(startedAt);
  const deadlineMs = (numberAt(workload.spec, 'progressDeadlineSeconds') ?? 600) * 1_000;
  // This one can't have exceeded its deadline before that much time; the API server's times are whole
  // seconds.
  const own = Math.floor((started + deadlineMs) / 1_000) * 1_000;
  const isEarlier = status.since !== null && Date.parse(status.since) < own;
  return isEarlier && now - started <= deadlineMs;
}

/** A new pod of a StatefulSet has the old name, one of a DaemonSet has another. */
function judgePodReplacement({ pod }: Expectation, view: WorkloadView): Judgement {
  const { pods, status, history } = view;
  const name = pod?.name ?? 'The pod';
  const old = pods.find(({ uid }) => uid === pod?.uid);
  if (old !== undefined)
    return ['following', old.deletedAt === null ? `${name} still runs.` : `${name} is terminating.`];
  const next = pods.find((candidate) => candidate.name === pod?.name);
  const group = next && groupOf(next, view);
  if (group) {
    const on = group.revision === null ? '' : ` on revision ${formatRevision(group.revision)}`;
    return group.ready
      ? ['done', `Group ${group.index} was recreated and is ready${on}.`]
      : ['following', `Group ${group.index} is being recreated${on}.`];
  }
  const isReplaced = next === undefined ? status.pods.ready >= status.pods.desired : next.ready;
  if (!isReplaced) {
    const why = next?.block == null ? '' : `: ${next.block.reason}`;
    return ['following', `${name} terminated; its replacement is not ready yet${why}.`];
  }
  const revision = next === undefined ? undefined : history.revisionOfPod.get(next.uid);
  const on = revision === undefined ? '' : ` on revision ${formatRevision(revision)}`;
  return ['done', `${name} was replaced; the new pod is ready${on}.`];
}

/** The pods that are restarted together with a pod. */
function groupOf(pod: PodSummary, view: WorkloadView): Group | undefined {
  const { groups } = view.kind;
  const place = groups?.ofPod(pod);
  return groups?.read(view).items.find(({ index }) => index === place?.index);
}

/** Null where it was not an owner that acts by itself. Its template shows that the write had arrived, or never will. */
function undone(owners: string, { workload }: WorkloadView): Judgement | null {
  const write = lastTemplateWrite(workload);
  if (write === null || !actsByItself(write.manager)) return null;
  const at = write.time === null ? '' : ` at ${formatUtc(write.time)}`;
  return ['undone', `${write.manager} put the template before back${at}. ${owners}`.trim(), write.manager];
}

function superseded({ isSure }: SentWrite, { workload, history: { target } }: WorkloadView): Judgement {
  const write = lastTemplateWrite(workload);
  const by = write === null ? '' : ` by ${write.manager}`;
  const at = write?.time == null ? '' : ` at ${formatUtc(write.time)}`;
  const now = target === null ? '' : ` The target is now revision ${formatRevision(target)}.`;
  const message = isSure
    ? `Superseded: another template was applied${by}${at} before this completed.${now}`
    : `Another template was applied${by}${at}; this one may or may not have been applied before.${now}`;
  return ['failed', message];
}

/** Whether Kubernetes records its template under a number. */
function isRecorded({ action }: Action): boolean {
  return action === 'rollback' || action === 'restart';
}

/**
 * The target's number; null while it is not above that of the previous target, and so may still be the number
 * of its last activation.
 */
function numberOf(action: Action, { kind, history: { target } }: WorkloadView): number | null {
  if (target === null || target.number === null) return null;
  if (kind.revisions?.keepsNumbers === true) return target.number;
  return isRecorded(action) && action.from !== null && target.number <= action.from ? null : target.number;
}
