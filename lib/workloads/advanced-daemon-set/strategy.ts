import { formatAmount, resolveAmount } from '@/lib/kube/amount';
import { desiredNodes } from '@/lib/workloads/daemon-set/strategy';
import {
  formatInPlace,
  heldByPartition,
  formatPartition,
  type RollingSettings,
  readRollingSettings,
} from '@/lib/workloads/kruise/rolling';
import { type KruiseRules, heldByNumber } from '@/lib/workloads/kruise/rules';
import { objectAt, textAt } from '@/lib/kube/read';
import type { ResourceType } from '@/lib/kube/resource';
import { formatCount } from '@/lib/format/text';
import type { Workload } from '@/lib/history/workload';

export const advancedDaemonSets: ResourceType = {
  id: 'daemonsets.apps.kruise.io',
  group: 'apps.kruise.io',
  versions: ['v1beta1', 'v1alpha1'],
  plural: 'daemonsets',
  kind: 'DaemonSet',
  label: 'Advanced DaemonSet',
  isCustom: true,
};

const STRATEGY_PATH = ['updateStrategy', 'rollingUpdate'];

export const advancedDaemonSetRules: KruiseRules = {
  resource: advancedDaemonSets,
  title: 'Advanced DaemonSet',
  unit: 'node',
  waitsForDeletion: true,
  rollingOf,
  desiredOf: desiredNodes,
  describeStrategy,
  partitionKeeps: () => 'number',
  partitionOf: heldCountOf,
  heldCountOf,
  heldPodsOf: (_workload, others, partition) => heldByNumber(others, partition),
  otherHoldOf: (workload) => (selectsNodes(workload) ? 'node selector of the update' : null),
  unavailableOf,
  pace,
  findBlockingPod: () => null,
};

function rollingOf(workload: Workload): RollingSettings {
  return readRollingSettings(
    workload,
    STRATEGY_PATH,
    textAt(workload.spec, ...STRATEGY_PATH, 'rollingUpdateType'),
  );
}

function heldCountOf(workload: Workload): number {
  const { isOnDelete, partition } = rollingOf(workload);
  return isOnDelete ? 0 : heldByPartition(partition, desiredNodes(workload));
}

/** The update selects its nodes; null where it updates all of them. */
function selectsNodes({ spec }: Pick<Workload, 'spec'>): boolean {
  return objectAt(spec, ...STRATEGY_PATH, 'selector') !== undefined;
}

/** "RollingUpdate, partition 2, in place if possible, unavailable 1", "OnDelete". */
function describeStrategy(workload: Workload): string {
  const rolling = rollingOf(workload);
  if (rolling.isOnDelete) return 'OnDelete';
  const partition = formatPartition(rolling);
  const inPlace = formatInPlace(rolling.inPlace);
  const surge = rolling.surge ?? 0;
  return [
    'RollingUpdate',
    ...(partition === null ? [] : [partition]),
    ...(inPlace === null ? [] : [inPlace]),
    ...(resolveAmount(surge, 100, Math.ceil) === 0 ? [] : [`surge ${formatAmount(surge)}`]),
    `unavailable ${formatAmount(rolling.unavailable ?? 1)}`,
    ...(selectsNodes(workload) ? ['selected nodes only'] : []),
    ...(rolling.isPaused ? ['paused'] : []),
  ].join(', ');
}

/** With a surge, a node keeps its old pod until the new one is available. */
function unavailableOf(workload: Workload): number {
  if (surgeOf(workload) > 0) return 0;
  const { unavailable } = rollingOf(workload);
  return Math.max(1, resolveAmount(unavailable ?? 1, desiredNodes(workload), Math.ceil));
}

function surgeOf(workload: Workload): number {
  return resolveAmount(rollingOf(workload).surge ?? 0, desiredNodes(workload), Math.ceil);
}

function pace(workload: Workload): string {
  const surge = surgeOf(workload);
  return surge > 0
    ? `at most ${formatCount(surge, 'node')} at a time; each new pod starts before the old one terminates`
    : `at most ${formatCount(unavailableOf(workload), 'node')} at a time`;
}
