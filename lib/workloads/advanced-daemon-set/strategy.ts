import { amount, resolveAmount } from '@/lib/workloads/amount';
import { desiredNodes } from '@/lib/workloads/daemon-set/strategy';
import {
  inPlaceWords,
  keptBy,
  partitionWords,
  type Rolling,
  rollingAt,
} from '@/lib/workloads/kruise/rolling';
import { type KruiseRules, stayingByNumber } from '@/lib/workloads/kruise/rules';
import { objectAt, textAt } from '@/lib/workloads/read';
import { type ResourceType } from '@/lib/workloads/resource';
import { count } from '@/lib/workloads/words';
import { type Workload } from '@/lib/workloads/workload';

export const advancedDaemonSets: ResourceType = {
  id: 'daemonsets.apps.kruise.io',
  group: 'apps.kruise.io',
  versions: ['v1beta1', 'v1alpha1'],
  plural: 'daemonsets',
  kind: 'DaemonSet',
  label: 'Advanced DaemonSet',
  isCustom: true,
};

const AT = ['updateStrategy', 'rollingUpdate'];

export const advancedDaemonSetRules: KruiseRules = {
  resource: advancedDaemonSets,
  title: 'Advanced DaemonSet',
  unit: 'node',
  rollingOf,
  desiredOf: desiredNodes,
  partitionOf: keptOf,
  keptOf,
  staying: (_workload, others, partition) => stayingByNumber(others, partition),
  alsoHolds: (workload) => (selectsNodes(workload) ? 'node selector of the update' : null),
  pace,
  blocking: () => null,
};

function rollingOf(workload: Workload): Rolling {
  return rollingAt(workload, AT, textAt(workload.spec, ...AT, 'rollingUpdateType'));
}

function keptOf(workload: Workload): number {
  const { isOnDelete, partition } = rollingOf(workload);
  return isOnDelete ? 0 : keptBy(partition, desiredNodes(workload));
}

/** Only nodes that the rules of the update select take the target; null where all do. */
export function selectsNodes({ spec }: Pick<Workload, 'spec'>): boolean {
  return objectAt(spec, ...AT, 'selector') !== undefined;
}

/** "RollingUpdate, partition 2, in place if possible, unavailable 1", "OnDelete". */
export function describeAdvancedDaemonSetStrategy(workload: Workload): string {
  const rolling = rollingOf(workload);
  if (rolling.isOnDelete) return 'OnDelete';
  const partition = partitionWords(rolling);
  const inPlace = inPlaceWords(rolling.inPlace);
  const surge = rolling.surge ?? 0;
  return [
    'RollingUpdate',
    ...(partition === null ? [] : [partition]),
    ...(inPlace === null ? [] : [inPlace]),
    ...(resolveAmount(surge, 100, Math.ceil) === 0 ? [] : [`surge ${amount(surge)}`]),
    `unavailable ${amount(rolling.unavailable ?? 1)}`,
    ...(selectsNodes(workload) ? ['selected nodes only'] : []),
    ...(rolling.isPaused ? ['paused'] : []),
  ].join(', ');
}

function pace(workload: Workload): string {
  const desired = desiredNodes(workload);
  const { surge, unavailable } = rollingOf(workload);
  const more = resolveAmount(surge ?? 0, desired, Math.ceil);
  if (more > 0)
    return `at most ${count(more, 'node')} at a time, each with its new pod before the old one ends`;
  return `at most ${count(Math.max(1, resolveAmount(unavailable ?? 1, desired, Math.ceil)), 'node')} at a time`;
}
