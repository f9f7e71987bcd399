import { type Action } from '@/lib/api/action';
import { type Group } from '@/lib/workloads/groups';
import { type PodSummary } from '@/lib/history/pod';
import { capitalize, formatCount, formatUtc } from '@/lib/format/text';
import { formatRevision } from '@/lib/history/revision';
import { numberAt } from '@/lib/kube/read';
import { type Expectation } from '@/server/audit/audit';
import { hasValues } from '@/server/actions/write';
import { lastTemplateWrite, type WorkloadView } from '@/server/reads/workload-view';

/** The state of the cluster that the follower assesses. */
export interface Snapshot<View> {
  /** Undefined when no object of that uid exists. */
  view: View | undefined;
  /** Milliseconds since the epoch. */
  now: number;
  /** When the cache last heard from the API server. */
  observedAt: number | null;
}

export interface WorkloadSnapshot extends Snapshot<WorkloadView> {
  /** The key of its desired template; see `desiredTemplateKey`. Null: unknown at present. */
  template: string | null | undefined;
}

/** The state of a write. */
export interface SentWrite {
  /** Milliseconds since the epoch. */
  at: number;
  /** Whether the API server has confirmed it, or the cluster shows it. */
  isSure: boolean;
}

export type Assessment = Pick<Action, 'state' | 'message' | 'recordedAs' | 'progress'>;

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
  const { isSure } = sent;
  const started = Date.parse(action.startedAt);
  if (view === undefined)
    return assess(action, 'failed', `${action.name} was deleted before this was complete.`);
  if (snapshot.now - started > FOLLOW_MS) {
    return assess(
      action,
      'failed',
      `Not complete after 24 hours: ${view.status.message}. Shiplog stopped following it.`,
      view,
    );
  }
  if (!isSure && isNotVisible(expectation, view, snapshot.template))
    return notArrived(action, sent, snapshot);
  if (expectation.until === 'replaced') return assessPodReplacement(action, expectation, view);
  const hasArrived = view.workload.generation >= expectation.generation;
  if (!hasArrived) return pending(action, 'Written; on its way back to Shiplog.');
  const isObserved =
    view.kind.isObserved?.(view) ??
    (numberAt(view.workload.status, 'observedGeneration') ?? 0) >= expectation.generation;
  if (expectation.until === 'observed') {
    return isObserved
      ? assess(action, 'done', 'The controller has seen it.', view)
      : pending(action, UNOBSERVED);
  }
  if (snapshot.template !== expectation.template) {
    const isPending = snapshot.template === null || snapshot.template === expectation.before;
    if (!isPending) return superseded(action, isSure, view);
    return pending(action, UNOBSERVED);
  }
  if (!isObserved) return pending(action, UNOBSERVED);
  if (
    view.history.target !== null &&
    numberOf(action, view) === null &&
    snapshot.now - started < NUMBERING_MS
  ) {
    return assess(action, 'following', 'The controller has seen it; its new number is on the way.', view);
  }
  return assessWorkloadRollout(action, view, snapshot.now);
}

/** Whether the cluster shows nothing that the write would have changed. */
function isNotVisible(
  { until, pod, generation, sets, template: expected, replaces, before }: Expectation,
  { pods, workload }: WorkloadView,
  template: WorkloadSnapshot['template'],
): boolean {
  if (until === 'replaced') return pods.some(({ uid, deletedAt }) => uid === pod?.uid && deletedAt === null);
  if (workload.generation < generation) return true;
  if (sets !== undefined && !hasValues({ spec: workload.spec }, sets)) return true;
  if (template === null || template === expected) return template === null;
  return template === replaces || template === before;
}

function notArrived(action: Action, { at }: SentWrite, { observedAt }: WorkloadSnapshot): Assessment {
  if (isTooLate(at, observedAt)) return assess(action, 'failed', NEVER_ARRIVED);
  return pending(action, NOT_VISIBLE_YET);
}

/** Whether a write that was sent then would have arrived by now. */
export function isTooLate(sentAt: number, observedAt: number | null): boolean {
  return (observedAt ?? 0) > sentAt + ARRIVAL_MS;
}

export const NOT_VISIBLE_YET =
  'The API server did not answer, and the cluster does not show the write so far. It may still arrive.';
export const NEVER_ARRIVED = `The write never arrived: the API server did not answer, and ${ARRIVAL_MS / 1_000} seconds later nothing was changed by it.`;

const UNOBSERVED = 'The API server accepted it; the controller has not seen it yet.';

function assessWorkloadRollout(action: Action, view: WorkloadView, now: number): Assessment {
  const { history, status } = view;
  const { target } = history;
  if (target === null) {
    const paused = status.state === 'paused' ? ': it waits for resume' : '';
    return assess(action, 'following', `No revision records the template yet${paused}.`, view);
  }
  const on = formatRevision(target);
  const ready = `${target.pods.ready} of ${formatCount(status.pods.desired, 'pod')} ready on ${on}`;
  switch (status.state) {
    case 'complete':
      return assess(action, 'done', `Complete: ${status.pods.desired === 0 ? 'scaled to 0' : ready}.`, view);
    case 'held':
      return assess(action, 'done', `Done as far as it goes by itself: ${status.message}.`, view);
    case 'waiting':
      return assess(action, 'done', `Recorded as ${on}. ${capitalize(status.message)}.`, view);
    case 'deadlineExceeded':
      return isOfEarlierRollout(action, view, now)
        ? assess(action, 'following', `${ready}.`, view)
        : assess(action, 'failed', `${capitalize(status.message)}.`, view);
    case 'paused':
    case 'stuck':
    case 'degraded':
    case 'failed':
      return assess(action, 'following', `${ready}; ${status.state}: ${status.message}.`, view);
    case 'rolling':
    case 'unknown':
      return assess(action, 'following', `${ready}.`, view);
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
function assessPodReplacement(action: Action, { pod }: Expectation, view: WorkloadView): Assessment {
  const { pods, status, history } = view;
  const name = pod?.name ?? 'The pod';
  const old = pods.find(({ uid }) => uid === pod?.uid);
  if (old !== undefined) {
    return assess(
      action,
      'following',
      old.deletedAt === null ? `${name} is still there.` : `${name} is ending.`,
      view,
    );
  }
  const next = pods.find((candidate) => candidate.name === pod?.name);
  const group = next && groupOf(next, view);
  if (group) {
    const on = group.revision === null ? '' : ` on ${formatRevision(group.revision)}`;
    return group.ready
      ? assess(action, 'done', `Group ${group.index} was made again and is ready${on}.`, view)
      : assess(action, 'following', `Group ${group.index} is being made again${on}.`, view);
  }
  const isReplaced = next === undefined ? status.pods.ready >= status.pods.desired : next.ready;
  if (!isReplaced) {
    const why = next?.block == null ? '' : `: ${next.block.reason}`;
    return assess(action, 'following', `${name} is gone; its successor is not ready yet${why}.`, view);
  }
  const revision = next === undefined ? undefined : history.revisionOfPod.get(next.uid);
  const on = revision === undefined ? '' : ` on ${formatRevision(revision)}`;
  return assess(action, 'done', `${name} was replaced, and its successor is ready${on}.`, view);
}

/** The pods that are restarted together with a pod. */
function groupOf(pod: PodSummary, view: WorkloadView): Group | undefined {
  const place = view.kind.groupOfPod?.(pod);
  return view.kind.groups?.(view).items.find(({ index }) => index === place?.index);
}

function superseded(action: Action, isSure: boolean, view: WorkloadView): Assessment {
  const write = lastTemplateWrite(view.workload);
  const by = write === null ? '' : ` by ${write.manager}`;
  const at = write?.time == null ? '' : ` at ${formatUtc(write.time)}`;
  const { target } = view.history;
  const now = target === null ? '' : ` The target is ${formatRevision(target)} now.`;
  return assess(
    action,
    'failed',
    isSure
      ? `Superseded: another template was written${by}${at} before this was complete.${now}`
      : `Another template was written${by}${at}; whether this one had been there is not known.${now}`,
  );
}

/** Nothing of it shows so far. */
function pending(action: Action, message: string): Assessment {
  return assess(action, action.state === 'following' ? 'following' : 'accepted', message);
}

/** Without a view the last known progress stays. */
function assess(
  action: Action,
  state: Assessment['state'],
  message: string,
  view?: WorkloadView,
): Assessment {
  const { recordedAs, progress } = view === undefined ? action : progressOf(action, view);
  return { state, message, recordedAs, progress };
}

function progressOf(action: Action, view: WorkloadView): Pick<Action, 'recordedAs' | 'progress'> {
  const { desired, updated, ready } = view.status.pods;
  const isRecorded = action.action === 'rollback' || action.action === 'restart';
  return {
    recordedAs: isRecorded ? numberOf(action, view) : null,
    progress: { desired, updated, ready },
  };
}

/**
 * The target's number; null while it is not above that of the previous target, and so may still be the number
 * of its last activation.
 */
function numberOf({ action, from }: Action, { kind, history: { target } }: WorkloadView): number | null {
  const isNumbered = action === 'rollback' || action === 'restart';
  if (target === null || target.number === null) return null;
  if (kind.keepsNumbers === true) return target.number;
  return isNumbered && from !== null && target.number <= from ? null : target.number;
}
