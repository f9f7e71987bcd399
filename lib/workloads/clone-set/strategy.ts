import { amount, resolveAmount } from '@/lib/workloads/amount';
import {
  inPlaceWords,
  keptBy,
  partitionWords,
  type Rolling,
  rollingAt,
} from '@/lib/workloads/kruise/rolling';
import { type KruiseRules, stayingByNumber } from '@/lib/workloads/kruise/rules';
import { numberAt, objectAt, textAt } from '@/lib/workloads/read';
import { type ResourceType } from '@/lib/workloads/resource';
import { count } from '@/lib/workloads/words';
import { type Workload } from '@/lib/workloads/workload';

export const cloneSets: ResourceType = {
  id: 'clonesets.apps.kruise.io',
  group: 'apps.kruise.io',
  versions: ['v1beta1', 'v1alpha1'],
  plural: 'clonesets',
  kind: 'CloneSet',
  isCustom: true,
};

const FLAT = ['updateStrategy'];
const NESTED = ['updateStrategy', 'rollingUpdate'];
const POLICIES = new Set(['ReCreate', 'InPlaceIfPossible', 'InPlaceOnly']);
/** Members that stand in `updateStrategy` itself in v1alpha1 and one level deeper in v1beta1. */
const FLAT_MEMBERS = ['partition', 'paused', 'maxUnavailable', 'maxSurge'];

export const cloneSetRules: KruiseRules = {
  resource: cloneSets,
  title: 'CloneSet',
  unit: 'pod',
  rollingOf,
  desiredOf,
  partitionOf: keptOf,
  keptOf,
  staying: (_workload, others, partition) => stayingByNumber(others, partition),
  alsoHolds: () => null,
  pace,
  blocking: () => null,
};

/**
 * v1beta1 moved the rules of an update one level deeper and gave `type` another meaning; a server that does not convert
 * answers with the members as they were written.
 * https://github.com/openkruise/kruise/blob/master/apis/apps/v1alpha1/cloneset_types.go
 */
function rollingOf(workload: Workload): Rolling {
  const strategy = objectAt(workload.spec, 'updateStrategy');
  const type = textAt(strategy, 'type');
  const isFlat =
    workload.version === 'v1alpha1' ||
    (type !== undefined && POLICIES.has(type)) ||
    FLAT_MEMBERS.some((member) => strategy !== undefined && Object.hasOwn(strategy, member));
  return isFlat
    ? rollingAt(workload, FLAT, type)
    : rollingAt(workload, NESTED, textAt(strategy, 'rollingUpdate', 'podUpdatePolicy'));
}

function desiredOf({ spec }: Pick<Workload, 'spec'>): number {
  return numberAt(spec, 'replicas') ?? 1;
}

function keptOf(workload: Workload): number {
  const { isOnDelete, partition } = rollingOf(workload);
  return isOnDelete ? 0 : keptBy(partition, desiredOf(workload));
}

/** "Re-create, partition 80%, unavailable 20%", "In place if possible, unavailable 20%", "OnDelete". */
export function describeCloneSetStrategy(workload: Workload): string {
  const rolling = rollingOf(workload);
  if (rolling.isOnDelete) return 'OnDelete';
  const inPlace = inPlaceWords(rolling.inPlace) ?? 're-create';
  const partition = partitionWords(rolling);
  const surge = rolling.surge ?? 0;
  return [
    inPlace.charAt(0).toUpperCase() + inPlace.slice(1),
    ...(partition === null ? [] : [partition]),
    ...(resolveAmount(surge, 100, Math.ceil) === 0 ? [] : [`surge ${amount(surge)}`]),
    `unavailable ${amount(rolling.unavailable ?? '20%')}`,
    ...(rolling.isPaused ? ['paused'] : []),
  ].join(', ');
}

/** The unavailable part rounds up, unless there may be more pods than desired. */
function pace(workload: Workload): string {
  const desired = desiredOf(workload);
  const { surge, unavailable } = rollingOf(workload);
  const more = resolveAmount(surge ?? 0, desired, Math.ceil);
  const fewer = resolveAmount(unavailable ?? '20%', desired, more === 0 ? Math.ceil : Math.floor);
  if (more > 0) return `with at most ${count(more, 'pod')} more and ${fewer} fewer than ${desired} at a time`;
  return `at most ${fewer} at a time`;
}
