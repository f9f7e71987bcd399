import { withoutViewer } from '@/lib/engine/status';
import { type UpdateRules, heldByNumber } from '@/lib/engine/update';
import { formatCount } from '@/lib/format/text';
import type { RevisionHistory } from '@/lib/history/revision';
import { prunedByDaemonSet } from '@/lib/history/revision-pruning';
import type { Workload } from '@/lib/history/workload';
import { resolveAmount } from '@/lib/kube/amount';
import { objectAt, textAt } from '@/lib/kube/read';
import type { ResourceType } from '@/lib/kube/resource';
import { formatStrategy } from '@/lib/messages/plan';
import { desiredNodes } from '@/lib/workloads/daemon-set/strategy';
import type { HistoryInput, WorkloadKind } from '@/lib/workloads/kind';
import { kruiseFacts } from '@/lib/workloads/kruise/facts';
import { kruiseKind } from '@/lib/workloads/kruise/kind';
import { kruiseHistory } from '@/lib/workloads/kruise/revisions';
import {
  KRUISE_UNDO,
  type KruiseSettings,
  heldByPartition,
  readRollingSettings,
} from '@/lib/workloads/kruise/rolling';
import { countNodes } from '@/lib/workloads/reported';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';

const advancedDaemonSets: ResourceType = {
  id: 'daemonsets.apps.kruise.io',
  group: 'apps.kruise.io',
  versions: ['v1beta1', 'v1alpha1'],
  plural: 'daemonsets',
  kind: 'DaemonSet',
  label: 'Advanced DaemonSet',
  isCustom: true,
};

const STRATEGY_PATH = ['updateStrategy', 'rollingUpdate'];

const rules = {
  resource: advancedDaemonSets,
  title: 'Advanced DaemonSet',
  unit: 'node',
  waitsForDeletion: true,
  rolloutMoves: 'byPartition',
  undo: KRUISE_UNDO,
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
} satisfies UpdateRules;

function rollingOf(workload: Workload): KruiseSettings {
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
  const note = selectsNodes(workload) ? 'selected nodes only' : null;
  return formatStrategy('RollingUpdate', { ...rolling, unavailable: rolling.unavailable ?? 1 }, note);
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

/** https://openkruise.io/docs/user-manuals/advanceddaemonset */
export const advancedDaemonSet: WorkloadKind = {
  ...kruiseKind(rules),
  source: controllerRevisions,
  history: readHistory,
  facts: (input) => kruiseFacts(input, rules, countNodes(input.workload, 0), withoutViewer(rules.resource)),
};

/** The status has no current revision; v1alpha1 names the target by its hash alone. */
function readHistory(input: HistoryInput): RevisionHistory {
  const { workload } = input;
  const { isOnDelete, isPaused } = rules.rollingOf(workload);
  const holdsPods = isOnDelete || isPaused || rules.heldCountOf(workload) > 0;
  return kruiseHistory(input, {
    update: textAt(workload.status, 'daemonSetHash') ?? textAt(workload.status, 'updateRevision'),
    current: null,
    isHeld: () => holdsPods,
    prunedBy: prunedByDaemonSet,
  });
}
