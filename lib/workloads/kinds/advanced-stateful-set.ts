import { inPlaceMetadataKeys, updatedInPlaceAt } from '@/lib/workloads/kruise/in-place-state';
import { findPreviousControllerRevision } from '@/lib/workloads/controller-revisions';
import { prunedByStatefulSet } from '@/lib/history/revision-pruning';
import { type RevisionHistory } from '@/lib/history/revision';
import { planAdvancedStatefulSetPodDeletion } from '@/lib/workloads/advanced-stateful-set/controls';
import { planAdvancedStatefulSetRollback } from '@/lib/workloads/advanced-stateful-set/rollback';
import { advancedStatefulSetStatus } from '@/lib/workloads/advanced-stateful-set/status';
import {
  advancedStatefulSetRules as rules,
  advancedStatefulSets,
  describeAdvancedStatefulSetStrategy,
  isUnordered,
  partitionOf,
} from '@/lib/workloads/advanced-stateful-set/strategy';
import { type HistoryInput, type WorkloadKind } from '@/lib/workloads/kind';
import {
  planKruisePartition,
  planKruisePause,
  planKruiseRestart,
  planKruiseResume,
} from '@/lib/workloads/kruise/controls';
import { kruiseHistory } from '@/lib/workloads/kruise/revisions';
import { textAt } from '@/lib/kube/read';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';
import { indexOf } from '@/lib/workloads/stateful-set/ordinals';

/** https://openkruise.io/docs/user-manuals/advancedstatefulset */
export const advancedStatefulSet: WorkloadKind = {
  resource: advancedStatefulSets,
  source: controllerRevisions,
  podOwner: 'workload',
  podMetadataKeys: inPlaceMetadataKeys,
  revisionAppliedAt: updatedInPlaceAt,
  history: readHistory,
  status: advancedStatefulSetStatus,
  strategy: describeAdvancedStatefulSetStrategy,
  desiredPods: (workload) => rules.desiredOf(workload),
  isPaused: (workload) => rules.rollingOf(workload).isPaused,
  partition: (workload) => ({
    keeps: isUnordered(workload) ? 'number' : 'ordinals',
    value: partitionOf(workload),
  }),
  writes: {
    rollback: planAdvancedStatefulSetRollback,
    pause: (input) => planKruisePause(rules, input),
    resume: (input) => planKruiseResume(rules, input),
    restart: (input) => planKruiseRestart(rules, input),
    partition: (input) => planKruisePartition(rules, input),
    deletePod: planAdvancedStatefulSetPodDeletion,
  },
  previous: findPreviousControllerRevision,
};

/**
 * Once one more revision is complete, only pods that the partition holds, or all under OnDelete, keep older
 * ones live.
 */
function readHistory(input: HistoryInput): RevisionHistory {
  const { workload } = input;
  const { isOnDelete, isPaused } = rules.rollingOf(workload);
  const partition = partitionOf(workload);
  const holdsAllPods = isOnDelete || isPaused || (isUnordered(workload) && partition > 0);
  return kruiseHistory(input, {
    update: textAt(workload.status, 'updateRevision'),
    current: textAt(workload.status, 'currentRevision'),
    isHeld: (pod) => holdsAllPods || (indexOf(workload, pod.name) ?? Infinity) < partition,
    prunedBy: prunedByStatefulSet,
  });
}
