import {
  blockedSince,
  blockersOf,
  type TimeInput,
  describeStarting,
  describeReasonInFull,
  describeReason,
} from '@/lib/workloads/blockers';
import type { StatusInput } from '@/lib/workloads/kind';
import type { PodSummary } from '@/lib/history/pod';
import { numberAt, objectAt, textAt } from '@/lib/kube/read';
import {
  findBlockingPod,
  desiredOf,
  findHeldPods,
  partitionOf,
  strategyOf,
} from '@/lib/workloads/stateful-set/ordinals';
import type { WorkloadStatus } from '@/lib/workloads/status';
import {
  allReadySince,
  joinSentences,
  allPodsReady,
  stateWithoutBlockers,
  describeServing,
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
import { formatCount, formatList } from '@/lib/format/text';
import { formatRevision, formatRevisions } from '@/lib/history/revision';
import type { Workload } from '@/lib/history/workload';
import { isObservedOnce } from '@/lib/workloads/observed-generation';

interface StatefulSetCounts {
  desired: number;
  /** Pods to be updated: all from the partition up. */
  updateGoal: number;
  total: number;
  updated: number;
  ready: number;
  available: number;
}

type Input = StatusInput & TimeInput;

/**
 * The status of a StatefulSet, from the same facts as `kubectl rollout status`, and more detailed: what a
 * partition or OnDelete holds, and the pod that an ordered update waits for.
 * https://github.com/kubernetes/kubectl/blob/master/pkg/polymorphichelpers/rollout_status.go
 */
export function statefulSetStatus(input: Input): WorkloadStatus {
  const { workload } = input;
  const counts = countsOf(workload);
  const { desired, ready, updated, available } = counts;
  return {
    ...deriveState(input, counts),
    pods: { desired, ready, updated, available },
    kubectl: kubectlStatus(workload, counts),
  };
}

function deriveState(input: Input, counts: StatefulSetCounts): DerivedState {
  const { workload } = input;
  if (workload.deletedAt !== null) return deletedState(workload);
  if (!isObservedOnce(workload)) return unobservedState(workload, input.now);
  if (counts.desired === 0)
    return stateWithoutBlockers('complete', 'scaled to 0', `${workload.name} is scaled to 0.`, null);
  if (strategyOf(workload) === 'OnDelete') return underOnDelete(input, counts);
  if (counts.ready < counts.desired || counts.updated < counts.updateGoal) return unfinished(input, counts);
  return completeOrHeld(input, counts);
}

function underOnDelete(input: Input, counts: StatefulSetCounts): DerivedState {
  if (outdatedPods(input).length > 0) return waitingForDeletion(input, counts);
  return counts.ready < counts.desired ? unfinished(input, counts) : completeOrHeld(input, counts);
}

function unfinished(input: Input, counts: StatefulSetCounts): DerivedState {
  const { workload, history, pods } = input;
  const blocking = findBlockingPod(workload, history, pods, history.target?.id);
  return stuckByOrder(input, blocking, counts) ?? blockedForGood(input, counts) ?? inProgress(input, counts);
}

/** Pods of the target are blocked, and none of the others can still become ready. */
function blockedForGood(input: Input, counts: StatefulSetCounts): DerivedState | null {
  const blockers = lastingBlockers(input);
  if (blockers.length === 0) return null;
  if (!isOver(input, counts)) return stuckByPods(input, blockers, counts);
  const names = formatList(blockers.map(({ pod }) => pod));
  return {
    state: 'degraded',
    message: `${counts.ready} of ${counts.desired} ready; ${names}: ${describeReason(blockers)}`,
    sentence: `The rollout completed, but only ${counts.ready} of ${formatCount(counts.desired, 'pod')} are ready: ${names}, ${describeReasonInFull(blockers)}.`,
    since: blockedSince(blockers),
    blockers,
  };
}

/**
 * The controller sets the current revision to the target when an update completes. For a first revision that
 * proves nothing, unless a pod of it is ready.
 */
function isOver({ workload, history }: Input, counts: StatefulSetCounts): boolean {
  const { currentRevision, updateRevision } = workload.status;
  const isPromoted = currentRevision === updateRevision && counts.updated >= counts.updateGoal;
  return isPromoted && counts.total >= counts.desired && (counts.ready > 0 || history.revisions.length > 1);
}

function inProgress(input: Input, counts: StatefulSetCounts): DerivedState {
  const { history, pods, now } = input;
  if (history.target === null) return awaitedRevisionState();
  const starting = describeStarting(pods, now);
  const head =
    counts.updated < counts.updateGoal
      ? `${counts.updated} of ${counts.updateGoal} updated`
      : `${counts.ready} of ${counts.desired} ready`;
  const blockers = blockersOf(history, pods, { proven: true, now });
  const message = starting === null ? head : `${head}; ${starting}`;
  if (isOver(input, counts)) {
    return {
      state: 'degraded',
      message,
      sentence: `The rollout completed, but only ${counts.ready} of ${formatCount(counts.desired, 'pod')} are ready${starting === null ? '' : `; ${starting}`}.`,
      since: null,
      blockers,
    };
  }
  return {
    state: 'rolling',
    message,
    sentence: joinSentences(
      `${counts.updated} of ${formatCount(counts.updateGoal, 'pod')} updated to revision ${formatRevision(history.target)}, ${counts.ready} of ${counts.desired} are ready.`,
      describeServing(history, counts.desired),
    ),
    since: history.target.activations.at(-1)?.from ?? null,
    blockers,
  };
}

function completeOrHeld(input: Input, counts: StatefulSetCounts): DerivedState {
  const { workload, history, pods } = input;
  const on = history.target === null ? 'the current template' : `revision ${formatRevision(history.target)}`;
  const held = findHeldPods(workload, history, pods, history.target?.id);
  if (held.length > 0 || (pods.length === 0 && counts.updated < counts.desired)) {
    return {
      state: 'held',
      message: `partition ${partitionOf(workload)}: ${describeHeld(input, held, counts)}`,
      sentence: `${counts.updated} of ${formatCount(counts.desired, 'pod')} ${counts.updated === 1 ? 'runs' : 'run'} ${on} and all are ready; partition ${partitionOf(workload)} holds the rest: ${describeHeld(input, held, counts)}.`,
      since: null,
      blockers: [],
    };
  }
  return stateWithoutBlockers(
    'complete',
    `${counts.ready} of ${counts.desired} ready`,
    allPodsReady(counts.desired, on),
    allReadySince(pods, counts.desired),
  );
}

/** "es-data-0 and es-data-1 stay on revision 11". */
function describeHeld({ history }: Input, held: readonly PodSummary[], counts: StatefulSetCounts): string {
  if (held.length === 0) return `${formatCount(counts.desired - counts.updated, 'pod')} not updated`;
  const on = held.map((pod) => history.revisionOfPod.get(pod.uid));
  return `${formatList(held.map(({ name }) => name))} ${held.length === 1 ? 'stays' : 'stay'} on ${formatRevisions(on)}`;
}

function countsOf(workload: Workload): StatefulSetCounts {
  const { status } = workload;
  const desired = desiredOf(workload);
  return {
    desired,
    updateGoal: Math.max(0, desired - partitionOf(workload)),
    total: numberAt(status, 'replicas') ?? 0,
    updated: numberAt(status, 'updatedReplicas') ?? 0,
    ready: numberAt(status, 'readyReplicas') ?? 0,
    available: numberAt(status, 'availableReplicas') ?? 0,
  };
}

function kubectlStatus(workload: Workload, counts: StatefulSetCounts): WorkloadStatus['kubectl'] {
  const { spec, status } = workload;
  if (strategyOf(workload) !== 'RollingUpdate') {
    const text = 'error: rollout status is only available for RollingUpdate strategy type';
    return { text, verdict: 'error' };
  }
  if (!isObservedOnce(workload))
    return { text: 'Waiting for statefulset spec update to be observed...', verdict: 'waiting' };
  if (counts.ready < counts.desired)
    return { text: `Waiting for ${counts.desired - counts.ready} pods to be ready...`, verdict: 'waiting' };
  if (objectAt(spec, 'updateStrategy', 'rollingUpdate') !== undefined) {
    const goal = counts.desired - partitionOf(workload);
    return counts.updated < goal
      ? {
          text: `Waiting for partitioned roll out to finish: ${counts.updated} out of ${goal} new pods have been updated...`,
          verdict: 'waiting',
        }
      : {
          text: `partitioned roll out complete: ${counts.updated} new pods have been updated...`,
          verdict: 'done',
        };
  }
  const current = textAt(status, 'currentRevision') ?? '';
  const update = textAt(status, 'updateRevision') ?? '';
  if (current !== update) {
    return {
      text: `waiting for statefulset rolling update to complete ${counts.updated} pods at revision ${update}...`,
      verdict: 'waiting',
    };
  }
  const replicas = numberAt(status, 'currentReplicas') ?? 0;
  return {
    text: `statefulset rolling update complete ${replicas} pods at revision ${current}...`,
    verdict: 'done',
  };
}
