import { prunedByDaemonSet } from '@/lib/history/revision-pruning';
import type { RevisionHistory } from '@/lib/history/revision';
import {
  advancedDaemonSetRules as rules,
  advancedDaemonSets,
} from '@/lib/workloads/advanced-daemon-set/strategy';
import { planDaemonSetPodDeletion } from '@/lib/workloads/daemon-set/controls';
import type { HistoryInput, WorkloadKind, StatusInput } from '@/lib/workloads/kind';
import { kruiseKind, kruiseWrites } from '@/lib/workloads/kruise/kind';
import { kruiseHistory } from '@/lib/workloads/kruise/revisions';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';
import { planKruiseRollback } from '@/lib/workloads/kruise/rollback';
import { textAt } from '@/lib/kube/read';
import { countNodes } from '@/lib/workloads/reported';
import { kruiseFacts } from '@/lib/workloads/kruise/facts';
import type { WorkloadFacts } from '@/lib/engine/facts';

/** https://openkruise.io/docs/user-manuals/advanceddaemonset */
export const advancedDaemonSet: WorkloadKind = {
  ...kruiseKind(rules),
  source: controllerRevisions,
  history: readHistory,
  facts: readFacts,
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

/** `kubectl-kruise rollout status` has no viewer for the kind. */
function readFacts(input: StatusInput): WorkloadFacts {
  const { kind, group } = advancedDaemonSets;
  return kruiseFacts(input, rules, countNodes(input.workload, 0), {
    text: `error: no status viewer has been implemented for ${kind}.${group}`,
    verdict: 'error',
  });
}
