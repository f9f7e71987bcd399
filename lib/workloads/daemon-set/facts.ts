import type { Workload } from '@/lib/history/workload';
import { plainFacts, type WorkloadFacts } from '@/lib/engine/facts';
import type { WorkloadStatus } from '@/lib/engine/status';
import { allReadySince, outdatedPods } from '@/lib/pods/by-revision';
import { desiredNodes, isOnDelete } from '@/lib/workloads/daemon-set/strategy';
import { readFailedCreate, isObserved, countNodes, type PodCounts } from '@/lib/workloads/reported';
import type { StatusInput } from '@/lib/workloads/kind';
import { controllingRolloutOf } from '@/lib/workloads/kruise-rollout-metadata';

/**
 * What a DaemonSet reports, as `kubectl rollout status` reads it. It does not report when an update completed: with every
 * node updated and some pods ready, that is assumed.
 * https://github.com/kubernetes/kubectl/blob/master/pkg/polymorphichelpers/rollout_status.go
 */
export function daemonSetFacts(input: StatusInput): WorkloadFacts {
  const { workload, history, pods } = input;
  const counts = countNodes(workload, desiredNodes(workload));
  const { desired, updated, ready, available } = counts;
  const onDelete = isOnDelete(workload);
  const rollout = onDelete ? controllingRolloutOf(workload) : null;
  const isMoving = rollout !== null && outdatedPods(history, pods).length > 0;
  return {
    ...plainFacts(input),
    unit: 'node',
    isObserved: isObserved(workload),
    counts: { desired, ready, updated, available },
    progress: { updated, goal: desired, serving: available, servingWord: 'available', desired },
    isScaledDown: desired === 0,
    isFinished: available >= desired && !isMoving && (onDelete || updated >= desired),
    finishedAt: allReadySince(pods, desired),
    completedBefore: updated >= desired && ready > 0 ? 'assumed' : 'no',
    // A Rollout sets OnDelete during its rollout, and deletes the pods of each step itself.
    movedBy: rollout === null ? null : { rollout, by: 'onDelete' },
    isOnDelete: onDelete && rollout === null,
    failure: readFailedCreate(input, desired),
    waitsForDeletion: true,
    kubectl: kubectlStatus(workload, counts),
  };
}

function kubectlStatus(workload: Workload, counts: PodCounts): WorkloadStatus['kubectl'] {
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
