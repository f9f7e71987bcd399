import { prunedByDaemonSet } from '@/lib/history/revision-pruning';
import type { RevisionHistory } from '@/lib/history/revision';
import {
  advancedDaemonSetRules as rules,
  advancedDaemonSets,
  describeAdvancedDaemonSetStrategy,
} from '@/lib/workloads/advanced-daemon-set/strategy';
import { planDaemonSetPodDeletion } from '@/lib/workloads/daemon-set/controls';
import type { HistoryInput, WorkloadKind, StatusInput } from '@/lib/workloads/kind';
import { kruiseKind, kruiseWrites } from '@/lib/workloads/kruise/kind';
import { kruiseHistory } from '@/lib/workloads/kruise/revisions';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';
import { planKruiseRollback } from '@/lib/workloads/kruise/rollback';
import { textAt, numberAt } from '@/lib/kube/read';
import type { TimeInput } from '@/lib/workloads/blockers';
import { partitionByNumber } from '@/lib/workloads/kruise/rules';
import { kruiseStatus } from '@/lib/workloads/kruise/status';
import type { WorkloadStatus } from '@/lib/workloads/status';

/** https://openkruise.io/docs/user-manuals/advanceddaemonset */
export const advancedDaemonSet: WorkloadKind = {
  ...kruiseKind(rules),
  source: controllerRevisions,
  history: readHistory,
  status: advancedDaemonSetStatus,
  strategy: describeAdvancedDaemonSetStrategy,
  partition: (workload) => partitionByNumber(rules, workload),
  writes: {
    rollback: (input) => planKruiseRollback(rules, input),
    ...kruiseWrites(rules),
    deletePod: planDaemonSetPodDeletion,
  },
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
    rules,
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
