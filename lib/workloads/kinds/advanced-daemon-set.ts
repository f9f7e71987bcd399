import { inPlaceMetadataKeys, updatedInPlaceAt } from '@/lib/workloads/kruise/in-place-state';
import { findPreviousControllerRevision } from '@/lib/workloads/controller-revisions';
import { prunedByDaemonSet } from '@/lib/history/revision-pruning';
import { type RevisionHistory } from '@/lib/history/revision';
import {
  advancedDaemonSetRules as rules,
  advancedDaemonSets,
  describeAdvancedDaemonSetStrategy,
  advancedDaemonSetRules,
} from '@/lib/workloads/advanced-daemon-set/strategy';
import { planDaemonSetPodDeletion } from '@/lib/workloads/daemon-set/controls';
import { type HistoryInput, type WorkloadKind, type StatusInput } from '@/lib/workloads/kind';
import {
  planKruisePartition,
  planKruisePause,
  planKruiseRestart,
  planKruiseResume,
} from '@/lib/workloads/kruise/controls';
import { kruiseHistory } from '@/lib/workloads/kruise/revisions';
import { planKruiseRollback } from '@/lib/workloads/kruise/rollback';
import { textAt, numberAt } from '@/lib/kube/read';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';
import { type TimeInput } from '@/lib/workloads/blockers';
import { kruiseStatus } from '@/lib/workloads/kruise/status';
import { type WorkloadStatus } from '@/lib/workloads/status';

/** https://openkruise.io/docs/user-manuals/advanceddaemonset */
export const advancedDaemonSet: WorkloadKind = {
  resource: advancedDaemonSets,
  source: controllerRevisions,
  podOwner: 'workload',
  podMetadataKeys: inPlaceMetadataKeys,
  revisionAppliedAt: updatedInPlaceAt,
  history: readHistory,
  status: advancedDaemonSetStatus,
  strategy: describeAdvancedDaemonSetStrategy,
  desiredPods: (workload) => rules.desiredOf(workload),
  isPaused: (workload) => rules.rollingOf(workload).isPaused,
  partition: (workload) => ({ keeps: 'number', value: rules.heldCountOf(workload) }),
  writes: {
    rollback: (input) => planKruiseRollback(rules, input),
    pause: (input) => planKruisePause(rules, input),
    resume: (input) => planKruiseResume(rules, input),
    restart: (input) => planKruiseRestart(rules, input),
    partition: (input) => planKruisePartition(rules, input),
    deletePod: planDaemonSetPodDeletion,
  },
  previous: findPreviousControllerRevision,
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

/** The status of an Advanced DaemonSet. `kubectl-kruise rollout status` has no viewer for the kind. */
function advancedDaemonSetStatus(input: StatusInput & TimeInput): WorkloadStatus {
  const { status } = input.workload;
  const { kind, group } = advancedDaemonSets;
  return kruiseStatus(input, {
    rules: advancedDaemonSetRules,
    counts: {
      updated: numberAt(status, 'updatedNumberScheduled') ?? 0,
      ready: numberAt(status, 'numberReady') ?? 0,
      available: numberAt(status, 'numberAvailable') ?? 0,
    },
    kubectl: {
      text: `error: no status viewer has been implemented for ${kind}.${group}`,
      verdict: 'error',
    },
  });
}
