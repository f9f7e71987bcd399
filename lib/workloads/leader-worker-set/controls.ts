import { type ControlInput, type Planned } from '@/lib/workloads/kind';
import { groupsOf } from '@/lib/workloads/leader-worker-set/groups';
import { groupOfPod, isLeader, ownObjects } from '@/lib/workloads/leader-worker-set/objects';
import { leaderWorkerSets } from '@/lib/workloads/leader-worker-set/resource';
import {
  checkPartition,
  setPartition,
  STRATEGY,
  surgeSteps,
} from '@/lib/workloads/leader-worker-set/partition';
import { paceOf, partitionOf } from '@/lib/workloads/leader-worker-set/spec';
import { deletePodPlan } from '@/lib/workloads/delete-pod';
import { findOwners } from '@/lib/workloads/owners';
import { partitionPlan } from '@/lib/workloads/partition-plan';
import { mergeLine, nested } from '@/lib/workloads/patch';
import { type Finding } from '@/lib/workloads/plan';
import { checkDeleting, refuseIf, unlessRefused } from '@/lib/workloads/rollback-checks';
import { called, count, listed } from '@/lib/workloads/words';

/**
 * Moves the partition: groups from this number up follow the target, those below stay. As high as the number of groups
 * holds all of them, 0 lets all go.
 * https://github.com/kubernetes-sigs/lws/blob/main/keps/511-partition-update/README.md
 */
export function planPartition(input: ControlInput): Planned {
  const { workload, partition } = input;
  const present = partitionOf(workload);
  const findings = [
    ...checkDeleting(input),
    ...checkPartition(workload, partition),
    ...refuseIf(partition === present, 'equal_partition', `The partition is already ${present}.`),
    ...findOwners(workload),
  ];
  return unlessRefused(findings, () => {
    const to = partition ?? 0;
    return partitionPlan(leaderWorkerSets, workload, {
      from: present,
      to,
      operations: setPartition(workload, to),
      steps: partitionSteps(input, to),
      kubectl: mergeLine(workload.namespace, `${leaderWorkerSets.id}/${workload.name}`, {
        spec: nested([...STRATEGY], { partition: to }),
      }),
    });
  });
}

function partitionSteps(input: ControlInput, to: number): string[] {
  const { workload, history } = input;
  const { items } = groupsOf(input);
  const on = history.target === null ? 'the present template' : `revision ${called(history.target)}`;
  const going = items.filter(({ index, updated, surge }) => index >= to && !updated && !surge);
  const present = partitionOf(workload);
  const names = listed(going.map(({ index }) => String(index)).reverse(), 6);
  const steps =
    going.length === 0
      ? ['No group changes now.']
      : [
          `${count(going.length, 'group')} (${names}) ${going.length === 1 ? 'goes' : 'go'} to ${on}, ${paceOf(workload)}.`,
        ];
  steps.push(...surgeSteps(workload, items, to));
  if (to > present)
    steps.push(`Groups that already run ${on} keep running it: raising the partition takes nothing back.`);
  if (to === 0 && present > 0)
    steps.push(
      'When all groups are ready, the controller deletes every other revision; Shiplog has them in its archive.',
    );
  return steps;
}

/** Restarts a group: its leader is deleted, and what belongs to it goes and comes again with it. */
export function planGroupRestart(input: ControlInput): Planned {
  const { pods, pod, history, workload } = input;
  const chosen = pods.find(({ uid }) => uid === pod?.uid);
  const { leaders } = ownObjects(input);
  const isOwnLeader =
    chosen !== undefined && isLeader(chosen) && leaders !== null && chosen.controllerUid === leaders.uid;
  const group = chosen === undefined ? null : groupOfPod(chosen);
  const findings = [
    ...checkDeleting(input),
    ...refuseIf(
      chosen === undefined,
      'pod_gone',
      `${pod?.name ?? 'The pod'} is gone, or is another pod now.`,
      'Look at the groups again.',
    ),
    ...refuseIf(
      chosen !== undefined && !isOwnLeader,
      'not_a_leader',
      `${chosen?.name ?? 'The pod'} is a worker: a group restarts through its leader.`,
      group === null ? null : `Restart group ${group} through ${workload.name}-${group}.`,
    ),
    ...refuseIf(
      chosen !== undefined && chosen.deletedAt !== null,
      'pod_deleting',
      `${chosen?.name ?? 'The pod'} is already being deleted.`,
    ),
  ];
  if (chosen === undefined) return { plan: null, findings };
  return unlessRefused([...findings, ...warnUnknown(input, group)], () => {
    const members = pods.filter((each) => groupOfPod(each) === group);
    const revision = history.revisionOfPod.get(chosen.uid);
    const on = revision === undefined ? 'its revision' : `revision ${called(revision)}`;
    return {
      ...deletePodPlan(input, chosen, { stays: ['All other groups stay.'] }),
      title: `Restart group ${group ?? ''} of ${workload.name}`,
      steps: [
        `The leader ${chosen.name} ends, and with it ${count(Math.max(0, members.length - 1), 'worker')}.`,
        group !== null && group >= partitionOf(workload)
          ? `${workload.name} makes the whole group again, on the revision that the rollout is at for it.`
          : `${workload.name} makes the whole group again, on ${on}, since the partition holds it.`,
      ],
    };
  });
}

/** Without the object of its revision the controller can make no workers. */
function warnUnknown({ history, pod }: ControlInput, group: number | null): Finding[] {
  if (pod === undefined || history.revisionOfPod.has(pod.uid)) return [];
  return [
    {
      severity: 'warning',
      code: 'unknown_revision',
      message: `Group ${group ?? ''} runs a revision whose object is gone; if its leader comes back on it, it gets no workers.`,
      action: 'Follow the group afterwards.',
    },
  ];
}
