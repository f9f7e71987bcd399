import type { UpdateRules } from '@/lib/engine/update';
import type { Workload } from '@/lib/history/workload';
import { resolveAmount } from '@/lib/kube/amount';
import { findPreviousControllerRevision } from '@/lib/workloads/controller-revisions';
import { isPausedByPerson, planPodPartition } from '@/lib/workloads/controls';
import { planPodDeletion } from '@/lib/workloads/delete-pod';
import type { WorkloadKind, WorkloadSettings } from '@/lib/workloads/kind';
import { planRestart } from '@/lib/workloads/restart';
import { planPodRollback } from '@/lib/workloads/rollback';

/** What kinds whose revisions are ControllerRevisions of one pod template answer alike, by their rules of updates. */
export function updateKind(rules: UpdateRules) {
  return {
    resource: rules.resource,
    pods: { owner: 'workload' },
    settings: (workload) => ({
      desiredPods: rules.desiredOf(workload),
      surgePods: countSurge(rules, workload),
      isPaused: isPausedByPerson(rules, workload),
      partition: partitionSetting(rules, workload),
      strategy: rules.describeStrategy(workload),
    }),
    writes: {
      rollback: (input) => planPodRollback(rules, input),
      restart: (input) => planRestart(rules, input),
      deletePod: (input) => planPodDeletion(rules, input),
      partition: rules.partitionOf && ((input) => planPodPartition(rules, input)),
    },
    previous: findPreviousControllerRevision,
  } satisfies Partial<WorkloadKind>;
}

/** Rounds up, as in every controller. */
function countSurge(rules: UpdateRules, workload: Workload): number {
  const { isOnDelete, surge } = rules.rollingOf(workload);
  return isOnDelete === true ? 0 : resolveAmount(surge ?? 0, rules.desiredOf(workload), Math.ceil);
}

function partitionSetting(rules: UpdateRules, workload: Workload): WorkloadSettings['partition'] {
  if (rules.partitionOf === undefined) return undefined;
  const { partition } = rules.rollingOf(workload);
  const keeps = rules.partitionKeeps?.(workload) ?? 'number';
  const setting = { keeps, value: rules.partitionOf(workload) };
  if (setting.value === 0 || typeof partition !== 'string' || !/^\d{1,3}%$/.test(partition)) return setting;
  return { ...setting, percent: partition };
}
