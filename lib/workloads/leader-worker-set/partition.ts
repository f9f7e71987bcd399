import type { Group } from '@/lib/workloads/groups';
import { pointer, setTested } from '@/lib/workloads/patch';
import type { Finding, JsonPatchOperation } from '@/lib/workloads/plan';
import { partitionOf, replicasOf, surgeOf } from '@/lib/workloads/leader-worker-set/spec';
import { objectAt, valueAt } from '@/lib/kube/read';
import { refuseIf } from '@/lib/workloads/rollback-checks';
import { formatList } from '@/lib/format/text';
import type { Workload } from '@/lib/history/workload';

export const STRATEGY = ['rolloutStrategy', 'rollingUpdateConfiguration'] as const;

/** Reasons against a move of the partition to `to`. Undefined is no number at all. */
export function checkPartition(workload: Workload, to: number | undefined): Finding[] {
  const replicas = replicasOf(workload);
  const isValid = to !== undefined && Number.isInteger(to) && to >= 0 && to <= replicas;
  return [
    ...refuseIf(!isValid, 'bad_partition', `The partition must be a whole number from 0 to ${replicas}.`),
    ...(to === partitionOf(workload) ? [] : checkControllerVersion(workload)),
  ];
}

/** Where the other members of a strategy have their defaults, only the partition can be absent, before 0.7. */
function checkControllerVersion({ spec }: Workload): Finding[] {
  const rolling = objectAt(spec, ...STRATEGY);
  if (rolling === undefined || valueAt(rolling, 'partition') !== undefined) return [];
  return [
    {
      severity: 'warning',
      code: 'partition_unknown',
      message:
        'The rollout strategy has no partition. LeaderWorkerSet before 0.7 does not support one and drops it.',
      action: 'Check afterwards that the partition is set.',
    },
  ];
}

/** Creates the missing parent objects; their other members get their defaults. */
export function setPartition({ spec }: Workload, value: number): JsonPatchOperation[] {
  const [strategy, rolling] = STRATEGY;
  if (objectAt(spec, strategy) === undefined)
    return setTested(pointer('spec', strategy), undefined, {
      type: 'RollingUpdate',
      [rolling]: { partition: value },
    });
  if (objectAt(spec, ...STRATEGY) === undefined)
    return setTested(pointer('spec', ...STRATEGY), undefined, { partition: value });
  return setTested(pointer('spec', ...STRATEGY, 'partition'), valueAt(spec, ...STRATEGY, 'partition'), value);
}

/**
 * What happens to the surge groups, which nothing replaces, under a partition of `to`. Empty where there are
 * none.
 */
export function describeSurge(workload: Workload, items: readonly Group[], to: number): string[] {
  const surge = items.filter((group) => group.surge).map(({ index }) => String(index));
  if (surge.length === 0) return [];
  const [noun, goes, stays] =
    surge.length === 1 ? ['group', 'is removed', 'stays'] : ['groups', 'are removed', 'stay'];
  const outcomeText = to > surgeOf(workload) ? `${stays} until the partition changes` : `${goes} at the end`;
  return [`The surge ${noun} ${formatList(surge, 6)} ${outcomeText}.`];
}
