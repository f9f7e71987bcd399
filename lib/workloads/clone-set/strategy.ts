import { formatAmount, resolveAmount } from '@/lib/kube/amount';
import {
  formatInPlace,
  heldByPartition,
  formatPartition,
  type RollingSettings,
  readRollingSettings,
} from '@/lib/workloads/kruise/rolling';
import { type KruiseRules, heldByNumber } from '@/lib/workloads/kruise/rules';
import { numberAt, objectAt, textAt } from '@/lib/kube/read';
import type { ResourceType } from '@/lib/kube/resource';
import { formatCount } from '@/lib/format/text';
import type { Workload } from '@/lib/history/workload';

const cloneSets: ResourceType = {
  id: 'clonesets.apps.kruise.io',
  group: 'apps.kruise.io',
  versions: ['v1beta1', 'v1alpha1'],
  plural: 'clonesets',
  kind: 'CloneSet',
  isCustom: true,
};

const FLAT_PATH = ['updateStrategy'];
const NESTED_PATH = ['updateStrategy', 'rollingUpdate'];
const POLICIES = new Set(['ReCreate', 'InPlaceIfPossible', 'InPlaceOnly']);
/** Members of `updateStrategy` in v1alpha1, one level deeper in v1beta1. */
const FLAT_MEMBERS = ['partition', 'paused', 'maxUnavailable', 'maxSurge'];

export const cloneSetRules: KruiseRules = {
  resource: cloneSets,
  title: 'CloneSet',
  unit: 'pod',
  waitsForDeletion: false,
  rollingOf,
  desiredOf,
  describeStrategy,
  partitionKeeps: () => 'number',
  partitionOf: heldCountOf,
  heldCountOf,
  heldPodsOf: (_workload, others, partition) => heldByNumber(others, partition),
  otherHoldOf: () => null,
  unavailableOf: (workload) => limitsOf(workload).unavailable,
  pace,
  findBlockingPod: () => null,
};

/**
 * v1beta1 moved the update strategy one level deeper and gave `type` another meaning; a server that does not
 * convert answers with the members as they were written.
 * https://github.com/openkruise/kruise/blob/master/apis/apps/v1alpha1/cloneset_types.go
 */
function rollingOf(workload: Workload): RollingSettings {
  const strategy = objectAt(workload.spec, 'updateStrategy');
  const type = textAt(strategy, 'type');
  const isFlat =
    workload.version === 'v1alpha1' ||
    (type !== undefined && POLICIES.has(type)) ||
    FLAT_MEMBERS.some((member) => strategy !== undefined && Object.hasOwn(strategy, member));
  return isFlat
    ? readRollingSettings(workload, FLAT_PATH, type)
    : readRollingSettings(workload, NESTED_PATH, textAt(strategy, 'rollingUpdate', 'podUpdatePolicy'));
}

function desiredOf({ spec }: Pick<Workload, 'spec'>): number {
  return numberAt(spec, 'replicas') ?? 1;
}

function heldCountOf(workload: Workload): number {
  const { isOnDelete, partition } = rollingOf(workload);
  return isOnDelete ? 0 : heldByPartition(partition, desiredOf(workload));
}

/** "Re-create, partition 80%, unavailable 20%", "In place if possible, unavailable 20%", "OnDelete". */
function describeStrategy(workload: Workload): string {
  const rolling = rollingOf(workload);
  if (rolling.isOnDelete) return 'OnDelete';
  const inPlace = formatInPlace(rolling.inPlace) ?? 're-create';
  const partition = formatPartition(rolling);
  const surge = rolling.surge ?? 0;
  return [
    inPlace.charAt(0).toUpperCase() + inPlace.slice(1),
    ...(partition === null ? [] : [partition]),
    ...(resolveAmount(surge, 100, Math.ceil) === 0 ? [] : [`surge ${formatAmount(surge)}`]),
    `unavailable ${formatAmount(rolling.unavailable ?? '20%')}`,
    ...(rolling.isPaused ? ['paused'] : []),
  ].join(', ');
}

/** The unavailable number rounds up, unless surge is allowed. */
function limitsOf(workload: Workload): { surge: number; unavailable: number } {
  const desired = desiredOf(workload);
  const rolling = rollingOf(workload);
  const surge = resolveAmount(rolling.surge ?? 0, desired, Math.ceil);
  const round = surge === 0 ? Math.ceil : Math.floor;
  return { surge, unavailable: resolveAmount(rolling.unavailable ?? '20%', desired, round) };
}

function pace(workload: Workload): string {
  const { surge, unavailable } = limitsOf(workload);
  if (surge === 0) return `at most ${unavailable} at a time`;
  const desired = desiredOf(workload);
  return `${Math.max(0, desired - unavailable)}–${formatCount(desired + surge, 'pod')} at any time`;
}
