import { isActive } from '@/lib/history/assemble';
import type { Workload } from '@/lib/history/workload';
import type { PodSummary } from '@/lib/history/pod';
import type { JsonObject } from '@/lib/kube/json';
import { conditionAt, numberAt, textAt } from '@/lib/kube/read';
import { formatCount, formatList } from '@/lib/format/text';
import { type Hold, plainFacts, type WorkloadFacts } from '@/lib/engine/facts';
import { readKubectlLine } from '@/lib/engine/status';
import { allReadySince, outdatedPods, targetPods } from '@/lib/pods/by-revision';
import { startingPods } from '@/lib/pods/blockers';
import {
  readFailedCreate,
  isObservedOnce,
  countReplicas,
  type PodCounts,
  findRolloutStart,
} from '@/lib/workloads/reported';
import { describeStaying } from '@/lib/messages/target';
import type { StatusInput } from '@/lib/workloads/kind';
import { formatPartition } from '@/lib/messages/plan';
import { countReleased, type UpdateRules } from '@/lib/engine/update';
import { controllingRolloutOf } from '@/lib/workloads/kruise-rollout-metadata';

/** Types of conditions with which controllers of OpenKruise report that pods cannot be created or changed. */
const CREATE_FAILURES = ['FailedScale', 'FailedCreatePod'];
const UPDATE_FAILURES = ['FailedUpdate', 'FailedUpdatePod'];

/** What a workload of OpenKruise reports, by the rules of its kind. */
export function kruiseFacts(
  input: StatusInput,
  rules: UpdateRules,
  { updated, ready, available }: Pick<PodCounts, 'updated' | 'ready' | 'available'>,
  kubectl: string,
): WorkloadFacts {
  const { workload, history, pods } = input;
  const { isOnDelete = false, isPaused } = rules.rollingOf(workload);
  const desired = rules.desiredOf(workload);
  const released = countReleased(rules, workload);
  const outdated = outdatedPods(history, pods);
  const isGoalReached = updated >= released || rules.otherHoldOf?.(workload) != null;
  const isFinished = ready >= desired && available >= desired && (isOnDelete || isGoalReached);
  const isHeld = isFinished && updated < desired && !isOnDelete;
  return {
    ...plainFacts(input),
    unit: rules.unit,
    isObserved: isObservedOnce(workload),
    counts: { desired, ready, updated, available },
    progress: {
      updated,
      goal: isOnDelete ? desired : released,
      serving: available,
      servingWord: 'available',
      desired,
      inPlace: countUpdatedInPlace(input),
    },
    isScaledDown: desired === 0,
    isFinished,
    finishedAt: allReadySince(pods, desired),
    completedBefore: updated >= released && (history.target?.pods.ready ?? 0) > 0 ? 'assumed' : 'no',
    pause: isPaused === true ? { since: null } : null,
    isOnDelete,
    hold: isHeld ? readHold(input, rules, outdated, desired - updated) : null,
    failure: readFailure(input, desired, updated < released) ?? readFailedCreate(input, desired),
    awaitedPod: isFinished ? null : (rules.findBlockingPod?.(workload, outdated, pods) ?? null),
    waitsForDeletion: rules.waitsForDeletion === true,
    kubectl: readKubectlLine(kubectl),
  };
}

/** The controller itself reports that it cannot continue, and no pod is starting. */
function readFailure(input: StatusInput, desired: number, isUpdateOpen: boolean): WorkloadFacts['failure'] {
  const { pods, now } = input;
  const isMissing = pods.filter(isActive).length < desired;
  if ((!isMissing && !isUpdateOpen) || startingPods(pods, { now }).length > 0) return null;
  const condition = failureOf(input, isMissing ? CREATE_FAILURES : UPDATE_FAILURES);
  if (condition === null) return null;
  return {
    verb: isMissing ? 'created' : 'updated',
    message: textAt(condition, 'message') ?? textAt(condition, 'reason') ?? textAt(condition, 'type') ?? '',
    since: textAt(condition, 'lastTransitionTime') ?? null,
  };
}

/**
 * The controller never clears such a condition, so one that is older than the rollout proves nothing; and it
 * retries a write conflict at once.
 * https://github.com/openkruise/kruise/blob/master/pkg/controller/cloneset/cloneset_controller.go
 */
function failureOf({ workload, history }: StatusInput, types: readonly string[]): JsonObject | null {
  const startedAt = findRolloutStart(history);
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

/** Pods of the target that are older than its record. */
function countUpdatedInPlace({ history, pods }: StatusInput): number {
  const { target } = history;
  if (target === null) return 0;
  return targetPods(history, pods).filter((pod) => isActive(pod) && pod.createdAt < target.createdAt).length;
}

function readHold(
  { workload, history }: StatusInput,
  rules: UpdateRules,
  outdated: readonly PodSummary[],
  notUpdated: number,
): Hold {
  const partition = formatPartition(rules.rollingOf(workload));
  const holder = partition ?? rules.otherHoldOf?.(workload) ?? 'partition';
  const rollout = controllingRolloutOf(workload);
  const stays = describeHeld();
  if (rollout !== null)
    return { name: `Rollout ${rollout}, ${holder}`, subject: `Rollout ${rollout}, by its ${holder},`, stays };
  return { name: holder, subject: partition === null ? `the ${holder}` : holder, stays };

  /** "4 pods stay on revision 1", "es-0 and es-1 stay on revision 11". */
  function describeHeld(): string {
    if (outdated.length === 0) return `${formatCount(notUpdated, 'pod')} not updated`;
    const partition = rules.partitionOf?.(workload) ?? 0;
    const known = rules.heldPodsOf?.(workload, outdated, partition).pods ?? null;
    const on = outdated.map((pod) => history.revisionOfPod.get(pod.uid));
    const pods =
      known === null || known.length > 3
        ? formatCount(outdated.length, 'pod')
        : formatList(outdated.map(({ name }) => name));
    return describeStaying(pods, on);
  }
}

/** The counts of a CloneSet or an Advanced StatefulSet; versions that do not count available pods count ready ones. */
export function countKruisePods(workload: Workload): PodCounts {
  const counts = countReplicas(workload, 0);
  return numberAt(workload.status, 'availableReplicas') === undefined
    ? { ...counts, available: counts.ready }
    : counts;
}
