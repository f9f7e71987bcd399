import type { ControlInput, PlanResult } from '@/lib/workloads/kind';
import { groupsOf } from '@/lib/workloads/leader-worker-set/groups';
import { groupOfPod, isLeader, ownedObjects } from '@/lib/workloads/leader-worker-set/objects';
import { leaderWorkerSets } from '@/lib/workloads/leader-worker-set/resource';
import {
  checkPartition,
  setPartition,
  STRATEGY,
  describeSurge,
} from '@/lib/workloads/leader-worker-set/partition';
import { describePace, partitionOf } from '@/lib/workloads/leader-worker-set/spec';
import { planPodDeletion } from '@/lib/workloads/delete-pod';
import { checkOwners } from '@/lib/workloads/owner-checks';
import { planPartitionMove } from '@/lib/workloads/partition-plan';
import { mergePatchCommand, nested } from '@/lib/workloads/patch';
import type { Finding } from '@/lib/workloads/plan';
import { checkDeleting, refuseIf, unlessRefused } from '@/lib/workloads/rollback-checks';
import { formatCount, formatList } from '@/lib/format/text';
import { formatRevision } from '@/lib/history/revision';

/**
 * Moves the partition: groups from this number up follow the target, those below stay on their revision. The
 * number of groups holds all of them, 0 none.
 * https://github.com/kubernetes-sigs/lws/blob/main/keps/511-partition-update/README.md
 */
export function planPartition(input: ControlInput): PlanResult {
  const { workload, partition } = input;
  const current = partitionOf(workload);
  const findings = [
    ...checkDeleting(input),
    ...checkPartition(workload, partition),
    ...refuseIf(partition === current, 'equal_partition', `The partition is already ${current}.`),
    ...checkOwners(workload),
  ];
  return unlessRefused(findings, () => {
    const to = partition ?? 0;
    return planPartitionMove(leaderWorkerSets, workload, {
      from: current,
      to,
      operations: setPartition(workload, to),
      steps: describePartitionMove(input, to),
      kubectl: mergePatchCommand(workload.namespace, `${leaderWorkerSets.id}/${workload.name}`, {
        spec: nested([...STRATEGY], { partition: to }),
      }),
    });
  });
}

function describePartitionMove(input: ControlInput, to: number): string[] {
  const { workload, history } = input;
  const { items } = groupsOf(input);
  const on = history.target === null ? 'the current template' : `revision ${formatRevision(history.target)}`;
  const movingGroups = items.filter(({ index, updated, surge }) => index >= to && !updated && !surge);
  const current = partitionOf(workload);
  const names = formatList(movingGroups.map(({ index }) => String(index)).reverse(), 6);
  const steps =
    movingGroups.length === 0
      ? ['No group changes now.']
      : [
          `${formatCount(movingGroups.length, 'group')} (${names}) ${movingGroups.length === 1 ? 'is' : 'are'} updated to ${on}, ${describePace(workload)}.`,
        ];
  steps.push(...describeSurge(workload, items, to));
  if (to > current)
    steps.push(`Groups that already run ${on} keep it: raising the partition reverts nothing.`);
  if (to === 0 && current > 0)
    steps.push(
      'When all groups are ready, the controller deletes the other revisions. Shiplog keeps them in its archive.',
    );
  return steps;
}

/** Restarts a group: its leader is deleted, and its dependents are deleted and created again with it. */
export function planGroupRestart(input: ControlInput): PlanResult {
  const { pods, pod, history, workload } = input;
  const chosen = pods.find(({ uid }) => uid === pod?.uid);
  const { leaders } = ownedObjects(input);
  const isOwnLeader =
    chosen !== undefined && isLeader(chosen) && leaders !== null && chosen.controllerUid === leaders.uid;
  const group = chosen === undefined ? null : groupOfPod(chosen);
  const findings = [
    ...checkDeleting(input),
    ...refuseIf(
      chosen === undefined,
      'pod_gone',
      `${pod?.name ?? 'The pod'} was deleted or replaced.`,
      'Check the groups again.',
    ),
    ...refuseIf(
      chosen !== undefined && !isOwnLeader,
      'not_a_leader',
      `${chosen?.name ?? 'The pod'} is a worker. To restart a group, delete its leader.`,
      group === null ? null : `Delete ${workload.name}-${group} to restart group ${group}.`,
    ),
    ...refuseIf(
      chosen !== undefined && chosen.deletedAt !== null,
      'pod_deleting',
      `${chosen?.name ?? 'The pod'} is already being deleted.`,
    ),
  ];
  if (chosen === undefined) return { plan: null, findings };
  return unlessRefused([...findings, ...checkUnknownRevision(input, group)], () => {
    const members = pods.filter((each) => groupOfPod(each) === group);
    const revision = history.revisionOfPod.get(chosen.uid);
    const on = revision === undefined ? 'its revision' : `revision ${formatRevision(revision)}`;
    return {
      ...planPodDeletion(input, chosen, { stays: ['All other groups keep running.'] }),
      title: `Restart group ${group ?? ''} of ${workload.name}`,
      steps: [
        `Leader ${chosen.name} and its ${formatCount(Math.max(0, members.length - 1), 'worker')} terminate.`,
        group !== null && group >= partitionOf(workload)
          ? 'The group is recreated on the revision that the rollout assigns to it.'
          : `The group is recreated on ${on}, because the partition holds it.`,
      ],
    };
  });
}

/** Without the object of its revision the controller can create no workers. */
function checkUnknownRevision({ history, pod }: ControlInput, group: number | null): Finding[] {
  if (pod === undefined || history.revisionOfPod.has(pod.uid)) return [];
  return [
    {
      severity: 'warning',
      code: 'unknown_revision',
      message: `Group ${group ?? ''} runs a revision whose object was deleted. If its leader is recreated on it, the group gets no workers.`,
      action: 'Check the group afterwards.',
    },
  ];
}
