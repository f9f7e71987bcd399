import {
  blockedSince,
  blockersOf,
  type TimeInput,
  describeStarting,
  describeReasonInFull,
  describeReason,
} from '@/lib/workloads/blockers';
import { desiredNodes, isOnDelete } from '@/lib/workloads/daemon-set/strategy';
import type { StatusInput } from '@/lib/workloads/kind';
import { controllingRolloutOf } from '@/lib/workloads/kruise-rollout-metadata';
import { numberAt } from '@/lib/kube/read';
import type { WorkloadStatus } from '@/lib/workloads/status';
import {
  allReadySince,
  joinSentences,
  stateWithoutBlockers,
  describeServing,
  type DerivedState,
} from '@/lib/workloads/derived-state';
import {
  awaitedRevisionState,
  deletedState,
  lastingBlockers,
  outdatedPods,
  stuckByPods,
  unobservedState,
  waitingForDeletion,
} from '@/lib/workloads/common-states';
import { formatAll, formatCount, formatList } from '@/lib/format/text';
import { formatRevision } from '@/lib/history/revision';
import type { Workload } from '@/lib/history/workload';
import { isObserved } from '@/lib/workloads/observed-generation';

interface DaemonSetCounts {
  desired: number;
  updated: number;
  ready: number;
  available: number;
}

type Input = StatusInput & TimeInput;

/**
 * The status of a DaemonSet, from the same facts as `kubectl rollout status`, and more detailed: pods that
 * OnDelete leaves behind, and pods that are blocked.
 * https://github.com/kubernetes/kubectl/blob/master/pkg/polymorphichelpers/rollout_status.go
 */
export function daemonSetStatus(input: Input): WorkloadStatus {
  const counts = countsOf(input.workload);
  return { ...deriveState(input, counts), pods: counts, kubectl: kubectlStatus(input.workload, counts) };
}

function deriveState(input: Input, counts: DaemonSetCounts): DerivedState {
  const { workload } = input;
  if (workload.deletedAt !== null) return deletedState(workload);
  if (!isObserved(workload)) return unobservedState(workload, input.now);
  if (counts.desired === 0)
    return stateWithoutBlockers(
      'complete',
      'no matching node',
      `No node matches the scheduling rules of ${workload.name}.`,
      null,
    );
  if (isOnDelete(workload)) return underOnDelete(input, counts);
  if (counts.updated >= counts.desired && counts.available >= counts.desired) return complete(input, counts);
  return unfinished(input, counts);
}

function underOnDelete(input: Input, counts: DaemonSetCounts): DerivedState {
  if (outdatedPods(input).length === 0)
    return counts.available < counts.desired ? unfinished(input, counts) : complete(input, counts);
  const rollout = controllingRolloutOf(input.workload);
  return rollout === null ? waitingForDeletion(input, counts) : heldByRollout(input, counts, rollout);
}

/** A Rollout sets OnDelete during its rollout, and deletes the pods of each step itself. */
function heldByRollout(input: Input, counts: DaemonSetCounts, rollout: string): DerivedState {
  const { history, pods, now } = input;
  const targetPods = pods.filter((pod) => history.revisionOfPod.get(pod.uid)?.target === true);
  const blockers = blockersOf(history, targetPods, { proven: true, now });
  if (blockers.length > 0 && describeStarting(targetPods, now) === null) return unfinished(input, counts);
  const on = history.target === null ? 'the current template' : formatRevision(history.target);
  const subject = history.target === null ? on : `revision ${on}`;
  return {
    state: 'held',
    message: `Rollout ${rollout}: ${counts.updated} of ${formatCount(counts.desired, 'node')} on ${on}`,
    sentence: joinSentences(
      `Rollout ${rollout} replaces the pods in steps: ${counts.updated} of ${formatCount(counts.desired, 'node')} ${counts.updated === 1 ? 'runs' : 'run'} ${subject}, ${counts.ready} of ${formatCount(counts.desired, 'pod')} are ready.`,
      describeServing(history, counts.desired),
    ),
    since: null,
    blockers,
  };
}

/**
 * A DaemonSet does not report when an update completed. With every node updated and some pods ready, missing
 * pods make it degraded; with none ready, or nodes still to update, the update itself is stuck.
 */
function unfinished(input: Input, counts: DaemonSetCounts): DerivedState {
  const blockers = lastingBlockers(input);
  if (blockers.length === 0) return inProgress(input, counts);
  if (counts.updated >= counts.desired && counts.ready > 0) {
    const names = formatList(blockers.map(({ pod }) => pod));
    return {
      state: 'degraded',
      message: `${counts.available} of ${counts.desired} available; ${names}: ${describeReason(blockers)}`,
      sentence: `Every node runs the target revision, but only ${counts.available} of ${formatCount(counts.desired, 'pod')} are available: ${names}, ${describeReasonInFull(blockers)}.`,
      since: blockedSince(blockers),
      blockers,
    };
  }
  return stuckByPods(input, blockers, counts);
}

function inProgress(input: Input, counts: DaemonSetCounts): DerivedState {
  const { history, pods, now } = input;
  if (history.target === null) return awaitedRevisionState();
  const starting = describeStarting(pods, now);
  const head =
    counts.updated < counts.desired
      ? `${counts.updated} of ${counts.desired} nodes updated`
      : `${counts.available} of ${counts.desired} available`;
  return {
    state: 'rolling',
    message: starting === null ? head : `${head}; ${starting}`,
    sentence: joinSentences(
      `${counts.updated} of ${formatCount(counts.desired, 'node')} run revision ${formatRevision(history.target)}, ${counts.ready} pods are ready.`,
      describeServing(history, counts.desired),
    ),
    since: history.target.activations.at(-1)?.from ?? null,
    blockers: blockersOf(history, pods, { proven: true, now }),
  };
}

function complete({ history, pods }: Input, counts: DaemonSetCounts): DerivedState {
  const on = history.target === null ? 'the current template' : `revision ${formatRevision(history.target)}`;
  return stateWithoutBlockers(
    'complete',
    `${counts.ready} of ${counts.desired} ready`,
    counts.desired === 1
      ? `The only matching node runs ${on}, and its pod is ready.`
      : `${formatAll(counts.desired, 'node')} run ${on}, and every pod is ready.`,
    allReadySince(pods, counts.desired),
  );
}

function countsOf(workload: Workload): DaemonSetCounts {
  const { status } = workload;
  return {
    desired: desiredNodes(workload),
    updated: numberAt(status, 'updatedNumberScheduled') ?? 0,
    ready: numberAt(status, 'numberReady') ?? 0,
    available: numberAt(status, 'numberAvailable') ?? 0,
  };
}

function kubectlStatus(workload: Workload, counts: DaemonSetCounts): WorkloadStatus['kubectl'] {
  if (isOnDelete(workload)) {
    const text = 'error: rollout status is only available for RollingUpdate strategy type';
    return { text, verdict: 'error' };
  }
  if (!isObserved(workload))
    return { text: 'Waiting for daemon set spec update to be observed...', verdict: 'waiting' };
  const { desired, updated, available } = counts;
  const waiting = `Waiting for daemon set "${workload.name}" rollout to finish:`;
  if (updated < desired)
    return {
      text: `${waiting} ${updated} out of ${desired} new pods have been updated...`,
      verdict: 'waiting',
    };
  if (available < desired)
    return {
      text: `${waiting} ${available} of ${desired} updated pods are available...`,
      verdict: 'waiting',
    };
  return { text: `daemon set "${workload.name}" successfully rolled out`, verdict: 'done' };
}
