import { type UpdateRules, heldByNumber } from '@/lib/engine/update';
import type { RevisionHistory } from '@/lib/history/revision';
import { prunedByStatefulSet } from '@/lib/history/revision-pruning';
import type { Workload } from '@/lib/history/workload';
import { resolveAmount } from '@/lib/kube/amount';
import { numberAt, objectAt, textAt, valueAt } from '@/lib/kube/read';
import type { ResourceType } from '@/lib/kube/resource';
import { formatStrategy, paceByLimits } from '@/lib/messages/plan';
import type { HistoryInput, WorkloadKind } from '@/lib/workloads/kind';
import { countKruisePods, kruiseFacts } from '@/lib/workloads/kruise/facts';
import { kruiseKind } from '@/lib/workloads/kruise/kind';
import { kruiseHistory } from '@/lib/workloads/kruise/revisions';
import {
  KRUISE_UNDO,
  type KruiseSettings,
  heldByPartition,
  readRollingSettings,
} from '@/lib/workloads/kruise/rolling';
import { isObservedOnce } from '@/lib/workloads/reported';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';
import { KRUISE_RESTARTED_AT } from '@/lib/workloads/template-facts';

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

const rules = {
  resource: cloneSets,
  title: 'CloneSet',
  unit: 'pod',
  rolloutMoves: 'byPartition',
  undo: KRUISE_UNDO,
  restart: { annotation: KRUISE_RESTARTED_AT, tool: 'kubectl-kruise' },
  rollingOf,
  desiredOf,
  describeStrategy,
  partitionKeeps: () => 'number',
  partitionOf: heldCountOf,
  heldCountOf,
  heldPodsOf: (_workload, others, partition) => heldByNumber(others, partition),
  unavailableOf: (workload) => limitsOf(workload).unavailable,
  pace,
} satisfies UpdateRules;

/**
 * v1beta1 moved the update strategy one level deeper and gave `type` another meaning; a server that does not
 * convert answers with the members as they were written.
 * https://github.com/openkruise/kruise/blob/master/apis/apps/v1alpha1/cloneset_types.go
 */
function rollingOf(workload: Workload): KruiseSettings {
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
  const { unavailable = '20%', inPlace } = rolling;
  const type = { never: 'Re-create', ifPossible: 'In place if possible', only: 'In place only' }[inPlace];
  return formatStrategy(type, { ...rolling, inPlace: 'never', unavailable });
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
  return paceByLimits(desiredOf(workload), surge, unavailable);
}

/** https://openkruise.io/docs/user-manuals/cloneset */
export const cloneSet: WorkloadKind = {
  ...kruiseKind(rules),
  source: controllerRevisions,
  history: readHistory,
  facts: (input) => kruiseFacts(input, rules, countKruisePods(input.workload), kubectlStatus(input.workload)),
};

function readHistory(input: HistoryInput): RevisionHistory {
  const { workload } = input;
  const rolling = rules.rollingOf(workload);
  const holdsPods = rolling.isOnDelete || rolling.isPaused || rules.heldCountOf(workload) > 0;
  return kruiseHistory(input, {
    update: textAt(workload.status, 'updateRevision'),
    current: textAt(workload.status, 'currentRevision'),
    isHeld: () => holdsPods,
    prunedBy: prunedByStatefulSet,
  });
}

/**
 * The tool knows only the members of v1alpha1, reads the partition only for updates in place, and reads a
 * percentage as 0.
 * https://github.com/openkruise/kruise-tools/blob/master/pkg/internal/polymorphichelpers/rollout_status.go
 */
function kubectlStatus(workload: Workload): string {
  const { spec, status } = workload;
  const { updated, ready, available } = countKruisePods(workload);
  const replicas = numberAt(spec, 'replicas');
  const type = textAt(spec, 'updateStrategy', 'type');
  const partition = valueAt(spec, 'updateStrategy', 'partition');
  const isInPlace = type === 'InPlaceIfPossible' || type === 'InPlaceOnly';
  if (isInPlace && replicas !== undefined && partition !== undefined) {
    const goal = replicas - (typeof partition === 'number' ? partition : 0);
    if (updated < goal)
      return `Waiting for partitioned roll out to finish: ${updated} out of ${goal} new pods have been updated...`;
  }
  if (!isObservedOnce(workload)) return 'Waiting for CloneSet spec update to be observed...';
  if (replicas !== undefined && ready < replicas)
    return `Waiting for ${replicas - ready} pods to be ready...`;
  const update = textAt(status, 'updateRevision') ?? '';
  return `CloneSet rolling update complete ${available} pods at revision ${update}...`;
}
