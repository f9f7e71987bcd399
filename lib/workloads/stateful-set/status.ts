import { isActive } from '@/lib/history/assemble';
import {
  blockedSince,
  blockersOf,
  type TimeInput,
  describeStarting,
  isStuck,
  describeReasonInFull,
  describeReason,
} from '@/lib/workloads/blockers';
import { type StatusInput } from '@/lib/workloads/kind';
import { type PodSummary } from '@/lib/history/pod';
import { numberAt, objectAt, textAt } from '@/lib/kube/read';
import {
  findBlockingPod,
  desiredOf,
  findHeldPods,
  partitionOf,
  strategyOf,
} from '@/lib/workloads/stateful-set/ordinals';
import { type WorkloadStatus } from '@/lib/workloads/status';
import {
  allReadySince,
  joinSentences,
  allPodsReady,
  stateWithoutBlockers,
  describeServing,
  describeTargetReadiness,
  type DerivedState,
} from '@/lib/workloads/derived-state';
import { unobservedState } from '@/lib/workloads/unobserved-state';
import { capitalize, formatCount, formatList } from '@/lib/format/text';
import { formatRevision, formatRevisions } from '@/lib/history/revision';
import { type Workload } from '@/lib/history/workload';
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
  if (workload.deletedAt !== null)
    return stateWithoutBlockers(
      'unknown',
      'being deleted',
      `${workload.name} is being deleted.`,
      workload.deletedAt,
    );
  if (!isObservedOnce(workload)) return unobservedState(workload, input.now);
  if (counts.desired === 0)
    return stateWithoutBlockers('complete', 'scaled to 0', `${workload.name} is scaled to 0.`, null);
  if (strategyOf(workload) === 'OnDelete') return waitingForDeletion(input, counts);
  if (counts.ready < counts.desired || counts.updated < counts.updateGoal) return unfinished(input, counts);
  return completeOrHeld(input, counts);
}

function waitingForDeletion(input: Input, counts: StatefulSetCounts): DerivedState {
  const { history, pods } = input;
  const outdated = pods.filter(
    (pod) => isActive(pod) && history.revisionOfPod.get(pod.uid)?.id !== history.target?.id,
  );
  if (outdated.length === 0)
    return counts.ready < counts.desired ? unfinished(input, counts) : completeOrHeld(input, counts);
  const names = formatList(outdated.map(({ name }) => name));
  const verb = outdated.length === 1 ? 'runs' : 'run';
  const to = history.target === null ? 'the current template' : `revision ${formatRevision(history.target)}`;
  return {
    state: 'waiting',
    message: `${formatCount(outdated.length, 'pod')} to delete: ${names}`,
    sentence: `The update strategy is OnDelete: ${names} ${verb} an older revision until deleted; the new ${outdated.length === 1 ? 'pod' : 'pods'} will run ${to}. ${counts.ready} of ${formatCount(counts.desired, 'pod')} are ready.`,
    since: null,
    blockers: blockersOf(history, pods, { proven: true, now: input.now }),
  };
}

function unfinished(input: Input, counts: StatefulSetCounts): DerivedState {
  return stuckByOrder(input, counts) ?? stuckByPods(input, counts) ?? inProgress(input, counts);
}

/** A pod of another revision that a person must delete before anything else happens. */
function stuckByOrder(input: Input, counts: StatefulSetCounts): DerivedState | null {
  const { workload, history, pods, now } = input;
  const pod = findBlockingPod(workload, history, pods, history.target?.id);
  if (pod?.block == null || !isStuck(pod.block, now) || history.target === null) return null;
  const blockers = blockersOf(history, [pod], { proven: true, now });
  const revision = history.revisionOfPod.get(pod.uid);
  const on = revision === undefined ? 'another revision' : `revision ${formatRevision(revision)}`;
  return {
    state: 'stuck',
    message: `${pod.name} blocks the update: ${describeReason(blockers)}`,
    sentence: joinSentences(
      `${pod.name} runs ${on} and is not ready: ${describeReasonInFull(blockers)}.`,
      `The ordered update waits for it and does not replace it: delete the pod to continue. ${counts.ready} of ${formatCount(counts.desired, 'pod')} are ready.`,
    ),
    since: blockedSince(blockers),
    blockers,
  };
}

/** Pods of the target are blocked, and none of the others can still become ready. */
function stuckByPods(input: Input, counts: StatefulSetCounts): DerivedState | null {
  const { history, pods, now } = input;
  const targetPods = pods.filter((pod) => history.revisionOfPod.get(pod.uid)?.target === true);
  const blockers = blockersOf(history, targetPods, { proven: true, now });
  if (blockers.length === 0 || describeStarting(targetPods, now) !== null) return null;
  const reason = describeReason(blockers);
  const inFull = describeReasonInFull(blockers);
  if (isOver(input, counts)) {
    const head = `${counts.ready} of ${counts.desired} ready`;
    return {
      state: 'degraded',
      message: `${head}; ${formatList(blockers.map(({ pod }) => pod))}: ${reason}`,
      sentence: `The rollout completed, but only ${counts.ready} of ${formatCount(counts.desired, 'pod')} are ready: ${formatList(blockers.map(({ pod }) => pod))}, ${inFull}.`,
      since: blockedSince(blockers),
      blockers,
    };
  }
  const subject = describeTargetReadiness(history.target);
  return {
    state: 'stuck',
    message: `${formatList(blockers.map(({ pod }) => pod))}: ${reason}`,
    sentence: joinSentences(`${capitalize(subject)}: ${inFull}.`, describeServing(history, counts.desired)),
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
  if (history.target === null) {
    const message = 'waiting for the controller to create a revision';
    return stateWithoutBlockers('rolling', message, `${capitalize(message)}.`, null);
  }
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
