import { type Action } from '@/lib/api/actions';
import { type Group } from '@/lib/workloads/groups';
import { type PodSummary } from '@/lib/workloads/pod';
import { capitalised, called, count, utc } from '@/lib/workloads/words';
import { numberAt } from '@/lib/workloads/read';
import { type Expectation } from '@/server/audit';
import { hasValues } from '@/server/actions/write';
import { lastTemplateWrite, type WorkloadView } from '@/server/reads/view';

/** What the follower knows of the cluster when it looks. */
export interface Sight {
  /** Undefined when no workload of that uid is there. */
  view: WorkloadView | undefined;
  /** What the template means that it asks for; see `askedKey`. Null: not known at present. */
  template: string | null | undefined;
  /** Milliseconds since the epoch. */
  now: number;
  /** When the cache last heard from the API server. */
  observedAt: number | null;
}

/** What is known of a write. */
export interface Sent {
  /** Milliseconds since the epoch. */
  at: number;
  /** Whether the API server has confirmed it, or the cluster shows it. */
  isSure: boolean;
}

export type Judgement = Pick<Action, 'state' | 'message' | 'recordedAs' | 'progress'>;

/** A write whose answer got lost has arrived this long after it was sent, or never does: API servers give up on requests sooner. */
export const ARRIVAL_MS = 90_000;

/** The number comes by another watch than the status, a moment sooner or later. */
const NUMBERING_MS = 30_000;

/** Nobody waits longer; the workload's own page goes on telling. */
export const FOLLOW_MS = 24 * 60 * 60 * 1000;

/**
 * How an action stands, from the present state alone: a missed change or a restart loses nothing. `done` and `failed`
 * are final.
 */
export function judge(action: Action, expectation: Expectation, sent: Sent, sight: Sight): Judgement {
  const { view } = sight;
  const { isSure } = sent;
  const started = Date.parse(action.startedAt);
  if (view === undefined) return failed(action, `${action.name} was deleted before this was complete.`);
  if (sight.now - started > FOLLOW_MS) {
    return failed(
      action,
      `Not complete after 24 hours: ${view.status.message}. Shiplog stopped following it.`,
      view,
    );
  }
  if (!isSure && isAway(expectation, view, sight.template)) return unarrived(action, sent, sight);
  if (expectation.until === 'replaced') return judgePod(action, expectation, view);
  const hasArrived = view.workload.generation >= expectation.generation;
  if (!hasArrived) return pending(action, 'Written; on its way back to Shiplog.');
  const isObserved =
    view.kind.isObserved?.(view) ??
    (numberAt(view.workload.status, 'observedGeneration') ?? 0) >= expectation.generation;
  if (expectation.until === 'observed') {
    return isObserved ? done(action, 'The controller has seen it.', view) : pending(action, UNOBSERVED);
  }
  if (sight.template !== expectation.template) {
    const isAwaited = sight.template === null || sight.template === expectation.before;
    if (!isAwaited) return superseded(action, isSure, view);
    return pending(action, UNOBSERVED);
  }
  if (!isObserved) return pending(action, UNOBSERVED);
  if (view.history.target !== null && numberOf(action, view) === null && sight.now - started < NUMBERING_MS) {
    return following(action, 'The controller has seen it; its new number is on the way.', view);
  }
  return judgeRollout(action, view, sight.now);
}

/** Whether the cluster shows nothing that the write would have changed. */
function isAway(
  { until, pod, generation, sets, template: expected, replaces, before }: Expectation,
  { pods, workload }: WorkloadView,
  template: Sight['template'],
): boolean {
  if (until === 'replaced') return pods.some(({ uid, deletedAt }) => uid === pod?.uid && deletedAt === null);
  if (workload.generation < generation) return true;
  if (sets !== undefined && !hasValues({ spec: workload.spec }, sets)) return true;
  if (template === null || template === expected) return template === null;
  return template === replaces || template === before;
}

function unarrived(action: Action, { at }: Sent, { observedAt }: Sight): Judgement {
  if (isTooLate(at, observedAt)) return failed(action, NEVER_ARRIVED);
  return pending(action, NOT_SO_FAR);
}

/** Whether a write that was sent then would be here by now. */
export function isTooLate(sentAt: number, observedAt: number | null): boolean {
  return (observedAt ?? 0) > sentAt + ARRIVAL_MS;
}

export const NOT_SO_FAR =
  'The API server did not answer, and the cluster does not show the write so far. It may still arrive.';
export const NEVER_ARRIVED = `The write never arrived: the API server did not answer, and ${ARRIVAL_MS / 1_000} seconds later nothing was changed by it.`;

const UNOBSERVED = 'The API server accepted it; the controller has not seen it yet.';

function judgeRollout(action: Action, view: WorkloadView, now: number): Judgement {
  const { history, status } = view;
  const { target } = history;
  if (target === null) {
    const paused = status.state === 'paused' ? ': it waits for resume' : '';
    return following(action, `No revision records the template yet${paused}.`, view);
  }
  const on = called(target);
  const ready = `${target.pods.ready} of ${count(status.pods.desired, 'pod')} ready on ${on}`;
  switch (status.state) {
    case 'complete':
      return done(action, `Complete: ${status.pods.desired === 0 ? 'scaled to 0' : ready}.`, view);
    case 'held':
      return done(action, `Done as far as it goes by itself: ${status.message}.`, view);
    case 'waiting':
      return done(action, `Recorded as ${on}. ${capitalised(status.message)}.`, view);
    case 'deadlineExceeded':
      return isOfEarlierRollout(action, view, now)
        ? following(action, `${ready}.`, view)
        : failed(action, `${capitalised(status.message)}.`, view);
    case 'paused':
    case 'stuck':
    case 'degraded':
    case 'failed':
      return following(action, `${ready}; ${status.state}: ${status.message}.`, view);
    case 'rolling':
    case 'unknown':
      return following(action, `${ready}.`, view);
  }
}

/**
 * The verdict on the rollout before stays until this one moves: the controller keeps the condition of a ReplicaSet that
 * it has had before. https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/sync.go
 */
function isOfEarlierRollout({ startedAt }: Action, { status, workload }: WorkloadView, now: number): boolean {
  const started = Date.parse(startedAt);
  const deadlineMs = (numberAt(workload.spec, 'progressDeadlineSeconds') ?? 600) * 1_000;
  // This one can't have exceeded it before so long; the API server's times are whole seconds.
  const own = Math.floor((started + deadlineMs) / 1_000) * 1_000;
  const isEarlier = status.since !== null && Date.parse(status.since) < own;
  return isEarlier && now - started <= deadlineMs;
}

/** A pod of a StatefulSet comes back under its name, that of a DaemonSet under another. */
function judgePod(action: Action, { pod }: Expectation, view: WorkloadView): Judgement {
  const { pods, status, history } = view;
  const name = pod?.name ?? 'The pod';
  const old = pods.find(({ uid }) => uid === pod?.uid);
  if (old !== undefined) {
    return following(action, old.deletedAt === null ? `${name} is still there.` : `${name} is ending.`, view);
  }
  const next = pods.find((candidate) => candidate.name === pod?.name);
  const group = next && groupOf(next, view);
  if (group) {
    const on = group.revision === null ? '' : ` on ${called(group.revision)}`;
    return group.ready
      ? done(action, `Group ${group.index} was made again and is ready${on}.`, view)
      : following(action, `Group ${group.index} is being made again${on}.`, view);
  }
  const isBack = next === undefined ? status.pods.ready >= status.pods.desired : next.ready;
  if (!isBack) {
    const why = next?.block == null ? '' : `: ${next.block.reason}`;
    return following(action, `${name} is gone; its successor is not ready yet${why}.`, view);
  }
  const revision = next === undefined ? undefined : history.revisionOfPod.get(next.uid);
  const on = revision === undefined ? '' : ` on ${called(revision)}`;
  return done(action, `${name} was replaced, and its successor is ready${on}.`, view);
}

/** What a pod goes and comes again with. */
function groupOf(pod: PodSummary, view: WorkloadView): Group | undefined {
  const place = view.kind.groupOfPod?.(pod);
  return view.kind.groups?.(view).items.find(({ index }) => index === place?.index);
}

function superseded(action: Action, isSure: boolean, view: WorkloadView): Judgement {
  const write = lastTemplateWrite(view.workload);
  const by = write === null ? '' : ` by ${write.manager}`;
  const at = write?.time == null ? '' : ` at ${utc(write.time)}`;
  const { target } = view.history;
  const now = target === null ? '' : ` The target is ${called(target)} now.`;
  return failed(
    action,
    isSure
      ? `Superseded: another template was written${by}${at} before this was complete.${now}`
      : `Another template was written${by}${at}; whether this one had been there is not known.${now}`,
  );
}

function pending(action: Action, message: string): Judgement {
  const { recordedAs, progress } = action;
  return { state: action.state === 'following' ? 'following' : 'accepted', message, recordedAs, progress };
}

function following(action: Action, message: string, view: WorkloadView): Judgement {
  return { state: 'following', message, ...factsOf(action, view) };
}

function done(action: Action, message: string, view: WorkloadView): Judgement {
  return { state: 'done', message, ...factsOf(action, view) };
}

function failed(action: Action, message: string, view?: WorkloadView): Judgement {
  const { recordedAs, progress } = view === undefined ? action : factsOf(action, view);
  return { state: 'failed', message, recordedAs, progress };
}

function factsOf(action: Action, view: WorkloadView): Pick<Action, 'recordedAs' | 'progress'> {
  const { desired, updated, ready } = view.status.pods;
  const isRecorded = action.action === 'rollback' || action.action === 'restart';
  return {
    recordedAs: isRecorded ? numberOf(action, view) : null,
    progress: { desired, updated, ready },
  };
}

/** The target's number; null while it is none above that of the target before, and so still the one of last time. */
function numberOf({ action, from }: Action, { kind, history: { target } }: WorkloadView): number | null {
  const isNumbered = action === 'rollback' || action === 'restart';
  if (target === null || target.number === null) return null;
  if (kind.keepsNumbers === true) return target.number;
  return isNumbered && from !== null && target.number <= from ? null : target.number;
}
