import type { JsonObject } from '@/lib/kube/json';
import { isActive } from '@/lib/history/assemble';
import {
  blockedSince,
  blockersOf,
  type TimeInput,
  describeStarting,
  describeReasonInFull,
  describeReason,
  shortenMessage,
} from '@/lib/workloads/blockers';
import type { StatusInput } from '@/lib/workloads/kind';
import { formatPartition, type RollingSettings } from '@/lib/workloads/kruise/rolling';
import { controllingRolloutOf } from '@/lib/workloads/kruise-rollout-metadata';
import type { KruiseRules } from '@/lib/workloads/kruise/rules';
import { conditionAt, textAt } from '@/lib/kube/read';
import type { WorkloadStatus } from '@/lib/workloads/status';
import {
  allReadySince,
  joinSentences,
  allPodsReady,
  stateWithoutBlockers,
  describeServing,
  describeTargetReadiness,
  type DerivedState,
} from '@/lib/workloads/derived-state';
import {
  awaitedRevisionState,
  deletedState,
  lastingBlockers,
  outdatedPods,
  stuckByOrder,
  stuckByPods,
  unobservedState,
  waitingForDeletion,
} from '@/lib/workloads/common-states';
import { capitalize, formatAll, formatCount, formatList } from '@/lib/format/text';
import { formatRevision, formatRevisions } from '@/lib/history/revision';
import { isObservedOnce } from '@/lib/workloads/observed-generation';

/** What the controller has counted. */
export interface KruiseCounts {
  updated: number;
  ready: number;
  available: number;
}

interface KruiseStatusInput {
  rules: KruiseRules;
  counts: KruiseCounts;
  kubectl: WorkloadStatus['kubectl'];
}

interface StatusContext extends StatusInput, TimeInput, KruiseStatusInput {
  rolling: RollingSettings;
  desired: number;
  /** Pods that the partition releases to the target. */
  updateGoal: number;
}

/** Types of conditions with which controllers of OpenKruise report that pods cannot be created or changed. */
const CREATE_FAILURES = ['FailedScale', 'FailedCreatePod'];
const UPDATE_FAILURES = ['FailedUpdate', 'FailedUpdatePod'];

/**
 * The status of a workload of OpenKruise: complete, rolling, held by its partition or its Rollout, paused,
 * waiting under OnDelete, stuck by its pods, degraded, or unknown while the controller has not observed the
 * spec.
 */
export function kruiseStatus(input: StatusInput & TimeInput, own: KruiseStatusInput): WorkloadStatus {
  const { workload } = input;
  const { rules, counts, kubectl } = own;
  const desired = rules.desiredOf(workload);
  const context = {
    ...input,
    ...own,
    rolling: rules.rollingOf(workload),
    desired,
    updateGoal: Math.max(0, desired - rules.heldCountOf(workload)),
  };
  const { ready, updated, available } = counts;
  return { ...deriveState(context), pods: { desired, ready, updated, available }, kubectl };
}

function deriveState(context: StatusContext): DerivedState {
  const { workload, rolling, desired, updateGoal, counts } = context;
  if (workload.deletedAt !== null) return deletedState(workload);
  if (!isObservedOnce(workload)) return unobservedState(workload, context.now);
  if (desired === 0) return scaledToZero(context);
  if (rolling.isPaused) return paused(context);
  if (rolling.isOnDelete && outdatedPods(context).length > 0)
    return waitingForDeletion(context, { ready: counts.ready, desired });
  const isServing = counts.ready >= desired && counts.available >= desired;
  if (!isServing) return unfinished(context);
  const isGoalReached = counts.updated >= updateGoal || context.rules.otherHoldOf(workload) !== null;
  if (!rolling.isOnDelete && !isGoalReached) return unfinished(context);
  return counts.updated < desired && !rolling.isOnDelete ? held(context) : complete(context);
}

function scaledToZero({ workload, rules }: StatusContext): DerivedState {
  return rules.unit === 'node'
    ? stateWithoutBlockers(
        'complete',
        'no matching node',
        `No node matches the scheduling rules of ${workload.name}.`,
        null,
      )
    : stateWithoutBlockers('complete', 'scaled to 0', `${workload.name} is scaled to 0.`, null);
}

function paused(context: StatusContext): DerivedState {
  const { history, pods, counts, desired, now } = context;
  const on = history.target === null ? 'the current template' : formatRevision(history.target);
  const subject = history.target === null ? on : `revision ${on}`;
  return {
    state: 'paused',
    message: `${counts.updated} of ${formatCount(desired, 'pod')} on ${on}`,
    sentence: `No update starts until it is resumed; scaling continues. ${counts.updated} of ${formatCount(desired, 'pod')} ${counts.updated === 1 ? 'runs' : 'run'} ${subject}, ${counts.ready} are ready.`,
    since: null,
    blockers: blockersOf(history, pods, { proven: true, now }),
  };
}

function unfinished(context: StatusContext): DerivedState {
  const { workload, rules, pods, counts, desired } = context;
  const blocking = rules.findBlockingPod(workload, outdatedPods(context), pods);
  return (
    failed(context) ??
    stuckByOrder(context, blocking, { ready: counts.ready, desired }) ??
    blockedForGood(context) ??
    inProgress(context)
  );
}

/** The controller itself reports that it cannot continue, and no pod is starting. */
function failed(context: StatusContext): DerivedState | null {
  const { history, pods, desired, counts, updateGoal, now } = context;
  const missing = pods.filter(isActive).length < desired;
  const [verb, failure] = missing
    ? (['created', failureOf(context, CREATE_FAILURES)] as const)
    : (['updated', counts.updated < updateGoal ? failureOf(context, UPDATE_FAILURES) : null] as const);
  if (failure === null || describeStarting(pods, now) !== null) return null;
  const failureMessage =
    textAt(failure, 'message') ?? textAt(failure, 'reason') ?? textAt(failure, 'type') ?? '';
  const reason = /exceeded quota/i.test(failureMessage) ? 'quota exceeded' : `pods cannot be ${verb}`;
  const subject = describeTargetReadiness(history.target);
  return {
    state: 'stuck',
    message: `${subject}; ${reason}`,
    sentence: joinSentences(
      `${capitalize(subject)}: ${shortenMessage(failureMessage)}.`,
      describeServing(history, desired),
    ),
    since: textAt(failure, 'lastTransitionTime') ?? null,
    blockers: blockersOf(history, pods, { proven: true, now }),
  };
}

/**
 * The controller never clears such a condition, so one that is older than the rollout proves nothing; and it
 * retries a write conflict at once.
 * https://github.com/openkruise/kruise/blob/master/pkg/controller/cloneset/cloneset_controller.go
 */
function failureOf({ workload, history }: StatusContext, types: readonly string[]): JsonObject | null {
  const startedAt = history.target?.activations.at(-1)?.from ?? history.target?.createdAt ?? '';
  for (const type of types) {
    const failure = conditionAt(workload.status, type);
    if (failure?.status !== 'True' || isConflict(textAt(failure, 'message') ?? '')) continue;
    if ((textAt(failure, 'lastTransitionTime') ?? '') >= startedAt) return failure;
  }
  return null;
}

function isConflict(message: string): boolean {
  return message.includes('the object has been modified');
}

/**
 * Pods of the target are blocked, and none of the others can still become ready. With every pod updated and
 * some of them ready the update is over, and missing pods are reported as degraded.
 */
function blockedForGood(context: StatusContext): DerivedState | null {
  const { history, counts, desired, updateGoal } = context;
  const blockers = lastingBlockers(context);
  if (blockers.length === 0) return null;
  if (counts.updated >= updateGoal && (history.target?.pods.ready ?? 0) > 0) {
    const names = formatList(blockers.map(({ pod }) => pod));
    return {
      state: 'degraded',
      message: `${counts.available} of ${desired} available; ${names}: ${describeReason(blockers)}`,
      sentence: `The update completed, but only ${counts.available} of ${formatCount(desired, 'pod')} are available: ${names}, ${describeReasonInFull(blockers)}.`,
      since: blockedSince(blockers),
      blockers,
    };
  }
  return stuckByPods(context, blockers, context);
}

function inProgress(context: StatusContext): DerivedState {
  const { history, pods, counts, desired, updateGoal, rolling, now } = context;
  if (history.target === null) return awaitedRevisionState();
  const starting = describeStarting(pods, now);
  const goal = rolling.isOnDelete ? desired : updateGoal;
  const head =
    counts.updated < goal
      ? `${counts.updated} of ${goal} updated`
      : `${counts.available} of ${desired} available`;
  return {
    state: 'rolling',
    message: starting === null ? head : `${head}; ${starting}`,
    sentence: joinSentences(
      `${counts.updated} of ${formatCount(goal, 'pod')} updated to revision ${formatRevision(history.target)}${formatInPlaceCount(context)}, ${counts.ready} of ${desired} are ready.`,
      describeServing(history, desired),
    ),
    since: history.target.activations.at(-1)?.from ?? null,
    blockers: blockersOf(history, pods, { proven: true, now }),
  };
}

/** ", 2 of them updated in place": pods of the target that are older than its record. */
function formatInPlaceCount({ history, pods }: StatusContext): string {
  const { target } = history;
  if (target === null) return '';
  const updatedInPlace = pods.filter(
    (pod) =>
      isActive(pod) &&
      history.revisionOfPod.get(pod.uid)?.target === true &&
      pod.createdAt < target.createdAt,
  );
  return updatedInPlace.length === 0 ? '' : `, ${updatedInPlace.length} of them updated in place`;
}

function held(context: StatusContext): DerivedState {
  const { workload, rules, history, counts, desired, rolling } = context;
  const on = history.target === null ? 'the current template' : `revision ${formatRevision(history.target)}`;
  const partition = formatPartition(rolling) ?? rules.otherHoldOf(workload) ?? 'partition';
  const rollout = controllingRolloutOf(workload);
  const heldText = describeHeld(context);
  const holdText = rollout === null ? partition : `Rollout ${rollout}, ${partition}`;
  const holder = formatPartition(rolling) === null ? `the ${partition}` : partition;
  const subject = rollout === null ? `${holder} holds` : `Rollout ${rollout} holds`;
  const noun = rules.unit === 'node' ? 'node' : 'pod';
  return {
    state: 'held',
    message: `${holdText}: ${heldText}`,
    sentence: `${counts.updated} of ${formatCount(desired, noun)} ${counts.updated === 1 ? 'runs' : 'run'} ${on} and all are ready; ${subject} the rest${rollout === null ? '' : ` by its ${partition}`}: ${heldText}.`,
    since: null,
    blockers: [],
  };
}

/** "4 pods stay on revision 1", "es-0 and es-1 stay on revision 11". */
function describeHeld(context: StatusContext): string {
  const { workload, rules, history, counts, desired } = context;
  const outdated = outdatedPods(context);
  if (outdated.length === 0) return `${formatCount(desired - counts.updated, 'pod')} not updated`;
  const { pods: known } = rules.heldPodsOf(workload, outdated, rules.partitionOf(workload));
  const on = outdated.map((pod) => history.revisionOfPod.get(pod.uid));
  const who =
    known === null || known.length > 3
      ? formatCount(outdated.length, 'pod')
      : formatList(outdated.map(({ name }) => name));
  return `${who} ${outdated.length === 1 ? 'stays' : 'stay'} on ${formatRevisions(on)}`;
}

function complete({ history, pods, desired, rules }: StatusContext): DerivedState {
  const on = history.target === null ? 'the current template' : `revision ${formatRevision(history.target)}`;
  const isNode = rules.unit === 'node';
  const sentence = isNode
    ? desired === 1
      ? `The only matching node runs ${on}, and its pod is ready.`
      : `${formatAll(desired, 'node')} run ${on}, and every pod is ready.`
    : allPodsReady(desired, on);
  return stateWithoutBlockers(
    'complete',
    `${desired} of ${desired} ready`,
    sentence,
    allReadySince(pods, desired),
  );
}
