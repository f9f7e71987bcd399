import { planChosenPodDeletion } from '@/lib/workloads/delete-pod';
import type { ControlInput, PlanResult } from '@/lib/workloads/kind';
import { checkControlDuringRollout } from '@/lib/workloads/kruise/rollout-checks';
import { checkOwners } from '@/lib/workloads/owner-checks';
import { planPartitionMove } from '@/lib/workloads/partition-plan';
import { mergePatchCommand, setTested } from '@/lib/workloads/patch';
import type { Finding, JsonPatchOperation } from '@/lib/workloads/plan';
import type { PodSummary } from '@/lib/history/pod';
import { objectAt, valueAt } from '@/lib/kube/read';
import type { ResourceType } from '@/lib/kube/resource';
import { checkRestart, restartPlan, restartWaitsForDeletion } from '@/lib/workloads/restart';
import { checkDeleting, refuseIf, unlessRefused } from '@/lib/workloads/rollback-checks';
import {
  desiredOf,
  indexOf,
  sortByOrdinal,
  isOrdered,
  partitionOf,
  strategyOf,
} from '@/lib/workloads/stateful-set/ordinals';
import { formatCount, formatNames } from '@/lib/format/text';
import { formatRevision } from '@/lib/history/revision';

export function planStatefulSetRestart(resource: ResourceType, input: ControlInput): PlanResult {
  const { workload, pods } = input;
  const partition = partitionOf(workload);
  const isOnDelete = strategyOf(workload) === 'OnDelete';
  const heldPods = sortByOrdinal(workload, pods).filter(
    (pod) => (indexOf(workload, pod.name) ?? 0) < partition,
  );
  const findings: Finding[] = [
    ...checkDeleting(input),
    ...checkRestart(input),
    ...checkControlDuringRollout(workload, 'restart'),
    ...checkOwners(workload),
  ];
  if (isOnDelete) findings.push(restartWaitsForDeletion);
  if (heldPods.length > 0) {
    findings.push({
      severity: 'warning',
      code: 'partition_holds',
      message: `Partition ${partition} holds ${formatNames(heldPods)}: ${heldPods.length === 1 ? 'it does' : 'they do'} not restart.`,
      action: 'Set the partition to 0 to restart all pods.',
    });
  }
  const restarting = Math.max(0, desiredOf(workload) - partition);
  const replacement = isOnDelete
    ? 'Pods restart only when you delete them.'
    : `${formatCount(restarting, 'pod')} ${restarting === 1 ? 'is' : 'are'} replaced, highest ordinal first, each after the previous one is ready.`;
  return unlessRefused(findings, () =>
    restartPlan(resource, input, replacement, ['Volume claims and their data are kept.']),
  );
}

/**
 * Moves the partition: pods from this index up follow the target, those below stay on their revision.
 * https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#partitions
 */
export function planPartition(resource: ResourceType, input: ControlInput): PlanResult {
  const { workload, partition } = input;
  const desired = desiredOf(workload);
  const current = partitionOf(workload);
  const isValid =
    partition !== undefined && Number.isInteger(partition) && partition >= 0 && partition <= desired;
  const findings = [
    ...checkDeleting(input),
    ...refuseIf(
      strategyOf(workload) !== 'RollingUpdate',
      'no_partition',
      `The update strategy is ${strategyOf(workload)}; only RollingUpdate has a partition.`,
    ),
    ...refuseIf(!isValid, 'bad_partition', `The partition must be a whole number from 0 to ${desired}.`),
    ...refuseIf(partition === current, 'equal_partition', `The partition is already ${current}.`),
    ...checkControlDuringRollout(workload, 'partition'),
    ...checkOwners(workload),
  ];
  return unlessRefused(findings, () => {
    const to = partition ?? 0;
    return planPartitionMove(resource, workload, {
      from: current,
      to,
      operations: partitionPatch(input, to),
      steps: describePartitionMove(input, to),
      kubectl: mergePatchCommand(workload.namespace, `statefulset/${workload.name}`, {
        spec: { updateStrategy: { rollingUpdate: { partition: to } } },
      }),
    });
  });
}

function partitionPatch({ workload }: ControlInput, to: number): JsonPatchOperation[] {
  const path = '/spec/updateStrategy';
  if (objectAt(workload.spec, 'updateStrategy') === undefined)
    return setTested(path, undefined, { type: 'RollingUpdate', rollingUpdate: { partition: to } });
  if (objectAt(workload.spec, 'updateStrategy', 'rollingUpdate') === undefined)
    return setTested(`${path}/rollingUpdate`, undefined, { partition: to });
  const current = valueAt(workload.spec, 'updateStrategy', 'rollingUpdate', 'partition');
  return setTested(`${path}/rollingUpdate/partition`, current, to);
}

function describePartitionMove(input: ControlInput, to: number): string[] {
  const { workload, history, pods } = input;
  const { target } = history;
  const on = target === null ? 'the current template' : `revision ${formatRevision(target)}`;
  const movingPods = sortByOrdinal(workload, pods)
    .filter(
      (pod) =>
        (indexOf(workload, pod.name) ?? -1) >= to && history.revisionOfPod.get(pod.uid)?.id !== target?.id,
    )
    .reverse();
  const steps =
    movingPods.length === 0
      ? ['No pod is replaced now.']
      : [
          `${formatNames(movingPods)} ${movingPods.length === 1 ? 'is' : 'are'} replaced by ${movingPods.length === 1 ? 'a pod' : 'pods'} of ${on}, highest ordinal first.`,
        ];
  if (to > partitionOf(workload))
    steps.push(
      `Pods below ${to} that already run ${on} keep running; if they are deleted, they are recreated on the current revision.`,
    );
  return steps;
}

export function planStatefulSetPodDeletion(input: ControlInput): PlanResult {
  return planBlockingPodDeletion(input, 'the StatefulSet replaces', mustBeDeleted);
}

/**
 * Deletion of a pod that the update does not replace: under OnDelete, or one that an ordered update waits for. `replaces`
 * says who replaces the others.
 */
export function planBlockingPodDeletion(
  input: ControlInput,
  replaces: string,
  mustBeDeleted: (input: ControlInput, pod: PodSummary) => boolean,
): PlanResult {
  return planChosenPodDeletion(
    input,
    (chosen) =>
      refuseIf(
        chosen !== undefined && !mustBeDeleted(input, chosen),
        'not_blocking',
        `${chosen?.name ?? 'The pod'} does not block the rollout: ${replaces} it automatically, or its partition holds it.`,
        'Wait, or change the partition.',
      ),
    () => ['Its volume claims and their data are kept and mounted again.', 'All other pods keep running.'],
  );
}

function mustBeDeleted({ workload }: ControlInput, pod: PodSummary): boolean {
  if (strategyOf(workload) === 'OnDelete') return true;
  return isOrdered(workload) && !pod.ready && (indexOf(workload, pod.name) ?? -1) >= partitionOf(workload);
}
