import { inPlaceMetadataKeys, updatedInPlaceAt } from '@/lib/workloads/kruise/in-place-state';
import { findPreviousControllerRevision } from '@/lib/workloads/controller-revisions';
import { prunedByStatefulSet } from '@/lib/history/revision-pruning';
import { type RevisionHistory } from '@/lib/history/revision';
import { planCloneSetPodDeletion, planCloneSetRestart } from '@/lib/workloads/clone-set/controls';
import { cloneSetStatus } from '@/lib/workloads/clone-set/status';
import { cloneSetRules, cloneSets, describeCloneSetStrategy } from '@/lib/workloads/clone-set/strategy';
import { type HistoryInput, type WorkloadKind } from '@/lib/workloads/kind';
import { planKruisePartition, planKruisePause, planKruiseResume } from '@/lib/workloads/kruise/controls';
import { kruiseHistory } from '@/lib/workloads/kruise/revisions';
import { planKruiseRollback } from '@/lib/workloads/kruise/rollback';
import { textAt } from '@/lib/kube/read';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';

/** https://openkruise.io/docs/user-manuals/cloneset */
export const cloneSet: WorkloadKind = {
  resource: cloneSets,
  source: controllerRevisions,
  podOwner: 'workload',
  podMetadataKeys: inPlaceMetadataKeys,
  revisionAppliedAt: updatedInPlaceAt,
  history: readHistory,
  status: cloneSetStatus,
  strategy: describeCloneSetStrategy,
  desiredPods: (workload) => cloneSetRules.desiredOf(workload),
  isPaused: (workload) => cloneSetRules.rollingOf(workload).isPaused,
  partition: (workload) => ({ keeps: 'number', value: cloneSetRules.heldCountOf(workload) }),
  writes: {
    rollback: (input) => planKruiseRollback(cloneSetRules, input),
    pause: (input) => planKruisePause(cloneSetRules, input),
    resume: (input) => planKruiseResume(cloneSetRules, input),
    restart: planCloneSetRestart,
    partition: (input) => planKruisePartition(cloneSetRules, input),
    deletePod: planCloneSetPodDeletion,
  },
  previous: findPreviousControllerRevision,
};

function readHistory(input: HistoryInput): RevisionHistory {
  const { workload } = input;
  const rolling = cloneSetRules.rollingOf(workload);
  const holdsPods = rolling.isOnDelete || rolling.isPaused || cloneSetRules.heldCountOf(workload) > 0;
  return kruiseHistory(input, {
    update: textAt(workload.status, 'updateRevision'),
    current: textAt(workload.status, 'currentRevision'),
    isHeld: () => holdsPods,
    prunedBy: prunedByStatefulSet,
  });
}
