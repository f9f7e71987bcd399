import { prunedByStatefulSet } from '@/lib/history/revision-pruning';
import type { RevisionHistory } from '@/lib/history/revision';
import { cloneSetRules } from '@/lib/workloads/clone-set/strategy';
import type { HistoryInput, WorkloadKind, ControlInput, PlanResult } from '@/lib/workloads/kind';
import { planKruiseRestart } from '@/lib/workloads/kruise/controls';
import { kruiseKind, kruiseWrites } from '@/lib/workloads/kruise/kind';
import { kruiseHistory } from '@/lib/workloads/kruise/revisions';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';
import { planKruiseRollback } from '@/lib/workloads/kruise/rollback';
import { textAt, numberAt, valueAt } from '@/lib/kube/read';
import { planChosenPodDeletion } from '@/lib/workloads/delete-pod';
import { refuseIf } from '@/lib/workloads/rollback-checks';
import { KRUISE_RESTARTED_AT } from '@/lib/workloads/template-facts';
import { quoteShellWord } from '@/lib/format/text';
import { countKruisePods, kruiseFacts } from '@/lib/workloads/kruise/facts';
import type { WorkloadStatus } from '@/lib/engine/status';
import type { Workload } from '@/lib/history/workload';
import { isObservedOnce } from '@/lib/workloads/reported';

/** https://openkruise.io/docs/user-manuals/cloneset */
export const cloneSet: WorkloadKind = {
  ...kruiseKind(cloneSetRules),
  source: controllerRevisions,
  history: readHistory,
  facts: (input) =>
    kruiseFacts(input, cloneSetRules, countKruisePods(input.workload), kubectlStatus(input.workload)),
  writes: {
    rollback: (input) => planKruiseRollback(cloneSetRules, input),
    ...kruiseWrites(cloneSetRules),
    restart: planCloneSetRestart,
    deletePod: planCloneSetPodDeletion,
  },
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

/** https://github.com/openkruise/kruise-tools/blob/master/pkg/internal/polymorphichelpers/objectrestarter.go */
function planCloneSetRestart(input: ControlInput): PlanResult {
  const { namespace, name } = input.workload;
  return planKruiseRestart(cloneSetRules, input, {
    annotation: KRUISE_RESTARTED_AT,
    kubectl: ['kubectl-kruise', '-n', namespace, 'rollout', 'restart', `cloneset/${name}`]
      .map(quoteShellWord)
      .join(' '),
  });
}

/** A pod waits for deletion only under OnDelete, which v1beta1 has. */
function planCloneSetPodDeletion(input: ControlInput): PlanResult {
  const { isOnDelete } = cloneSetRules.rollingOf(input.workload);
  const reasons = refuseIf(
    !isOnDelete,
    'not_blocking',
    'The CloneSet updates its pods automatically.',
    'Change its partition, or resume it if it is paused.',
  );
  return planChosenPodDeletion(
    input,
    () => reasons,
    () => ['All other pods keep running.'],
  );
}

/**
 * The tool knows only the members of v1alpha1, reads the partition only for updates in place, and reads a
 * percentage as 0.
 * https://github.com/openkruise/kruise-tools/blob/master/pkg/internal/polymorphichelpers/rollout_status.go
 */
function kubectlStatus(workload: Workload): WorkloadStatus['kubectl'] {
  const { spec, status } = workload;
  const { updated, ready, available } = countKruisePods(workload);
  const replicas = numberAt(spec, 'replicas');
  const type = textAt(spec, 'updateStrategy', 'type');
  const partition = valueAt(spec, 'updateStrategy', 'partition');
  const isInPlace = type === 'InPlaceIfPossible' || type === 'InPlaceOnly';
  if (isInPlace && replicas !== undefined && partition !== undefined) {
    const goal = replicas - (typeof partition === 'number' ? partition : 0);
    if (updated < goal)
      return {
        text: `Waiting for partitioned roll out to finish: ${updated} out of ${goal} new pods have been updated...`,
        verdict: 'waiting',
      };
  }
  if (!isObservedOnce(workload))
    return { text: 'Waiting for CloneSet spec update to be observed...', verdict: 'waiting' };
  if (replicas !== undefined && ready < replicas)
    return { text: `Waiting for ${replicas - ready} pods to be ready...`, verdict: 'waiting' };
  const update = textAt(status, 'updateRevision') ?? '';
  return {
    text: `CloneSet rolling update complete ${available} pods at revision ${update}...`,
    verdict: 'done',
  };
}
