import type { PodSummary } from '@/lib/history/pod';
import type { Workload } from '@/lib/history/workload';
import { numberAt, objectAt, textAt } from '@/lib/kube/read';
import { formatCount, formatList } from '@/lib/format/text';
import { type Hold, plainFacts, type WorkloadFacts } from '@/lib/engine/facts';
import { readKubectlLine } from '@/lib/engine/status';
import { allReadySince, outdatedPods } from '@/lib/pods/by-revision';
import {
  readFailedCreate,
  isFirstRolloutOpen,
  isObservedOnce,
  countReplicas,
  type PodCounts,
} from '@/lib/workloads/reported';
import { describeStaying } from '@/lib/messages/target';
import type { StatusInput } from '@/lib/workloads/kind';
import {
  findBlockingPod,
  desiredOf,
  findHeldPods,
  partitionOf,
  strategyOf,
} from '@/lib/workloads/stateful-set/ordinals';

/**
 * What a StatefulSet reports, as `kubectl rollout status` reads it; what a partition or OnDelete holds, and the pod that an
 * ordered update waits for.
 * https://github.com/kubernetes/kubectl/blob/master/pkg/polymorphichelpers/rollout_status.go
 */
export function statefulSetFacts(input: StatusInput): WorkloadFacts {
  const { workload, history, pods } = input;
  const counts = countReplicas(workload, desiredOf(workload));
  const { desired, updated, ready, available } = counts;
  const goal = Math.max(0, desired - partitionOf(workload));
  const isOnDelete = strategyOf(workload) === 'OnDelete';
  const isFinished = ready >= desired && (isOnDelete || updated >= goal);
  return {
    ...plainFacts(input),
    isObserved: isObservedOnce(workload),
    counts: { desired, ready, updated, available },
    progress: { updated, goal, serving: ready, servingWord: 'ready', desired },
    isScaledDown: desired === 0,
    isFinished,
    finishedAt: allReadySince(pods, desired),
    completedBefore: hasCompleted(input, counts, goal) ? 'reported' : 'no',
    isOnDelete,
    hold: isFinished ? readHold(input, counts) : null,
    awaitedPod: isFinished ? null : findBlockingPod(workload, outdatedPods(history, pods), pods),
    failure: readFailedCreate(input, desired),
    waitsForDeletion: true,
    kubectl: readKubectlLine(kubectlStatus(workload, counts)),
  };
}

/**
 * The controller sets the current revision to the target when an update completes, and for a first revision at once: that
 * one is over where a pod of it is ready, and no other has become ready for long.
 */
function hasCompleted(input: StatusInput, counts: PodCounts, goal: number): boolean {
  const { workload, history } = input;
  const { currentRevision, updateRevision } = workload.status;
  const isPromoted = currentRevision === updateRevision && counts.updated >= goal;
  const isFirst = history.revisions.length === 1;
  if (history.target === null || !isPromoted) return false;
  return !isFirst || (counts.ready > 0 && !isFirstRolloutOpen(input));
}

function readHold({ workload, history, pods }: StatusInput, counts: PodCounts): Hold | null {
  const { pods: held } = findHeldPods(workload, outdatedPods(history, pods), partitionOf(workload));
  if (held.length === 0 && (pods.length > 0 || counts.updated >= counts.desired)) return null;
  const name = `partition ${partitionOf(workload)}`;
  return { name, subject: name, stays: describeHeld(history, held, counts) };
}

/** "es-data-0 and es-data-1 stay on revision 11". */
function describeHeld(
  history: StatusInput['history'],
  held: readonly PodSummary[],
  counts: PodCounts,
): string {
  if (held.length === 0) return `${formatCount(counts.desired - counts.updated, 'pod')} not updated`;
  const on = held.map((pod) => history.revisionOfPod.get(pod.uid));
  return describeStaying(formatList(held.map(({ name }) => name)), on);
}

function kubectlStatus(workload: Workload, counts: PodCounts): string {
  const { spec, status } = workload;
  if (strategyOf(workload) !== 'RollingUpdate')
    return 'error: rollout status is only available for RollingUpdate strategy type';
  if (!isObservedOnce(workload)) return 'Waiting for statefulset spec update to be observed...';
  if (counts.ready < counts.desired)
    return `Waiting for ${counts.desired - counts.ready} pods to be ready...`;
  if (objectAt(spec, 'updateStrategy', 'rollingUpdate') !== undefined) {
    const goal = counts.desired - partitionOf(workload);
    return counts.updated < goal
      ? `Waiting for partitioned roll out to finish: ${counts.updated} out of ${goal} new pods have been updated...`
      : `partitioned roll out complete: ${counts.updated} new pods have been updated...`;
  }
  const current = textAt(status, 'currentRevision') ?? '';
  const update = textAt(status, 'updateRevision') ?? '';
  if (current !== update)
    return `waiting for statefulset rolling update to complete ${counts.updated} pods at revision ${update}...`;
  const replicas = numberAt(status, 'currentReplicas') ?? 0;
  return `statefulset rolling update complete ${replicas} pods at revision ${current}...`;
}
