import { inPlaceMetadataKeys, updatedInPlaceAt } from '@/lib/workloads/kruise/in-place-state';
import { findPreviousControllerRevision } from '@/lib/workloads/controller-revisions';
import { prunedByStatefulSet } from '@/lib/history/revision-pruning';
import { type RevisionHistory } from '@/lib/history/revision';
import { cloneSetRules, cloneSets, describeCloneSetStrategy } from '@/lib/workloads/clone-set/strategy';
import {
  type HistoryInput,
  type WorkloadKind,
  type ControlInput,
  type PlanResult,
  type StatusInput,
} from '@/lib/workloads/kind';
import {
  planKruisePartition,
  planKruisePause,
  planKruiseResume,
  planKruiseRestart,
} from '@/lib/workloads/kruise/controls';
import { kruiseHistory } from '@/lib/workloads/kruise/revisions';
import { planKruiseRollback } from '@/lib/workloads/kruise/rollback';
import { textAt, numberAt, valueAt } from '@/lib/kube/read';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';
import { checkPodDeletion, findChosenPod, planPodDeletion } from '@/lib/workloads/delete-pod';
import { refuseIf, unlessRefused } from '@/lib/workloads/rollback-checks';
import { KRUISE_RESTARTED_AT } from '@/lib/workloads/template-facts';
import { quoteShellWord } from '@/lib/format/text';
import { type TimeInput } from '@/lib/workloads/blockers';
import { countsOfPods } from '@/lib/workloads/kruise/counts';
import { kruiseStatus } from '@/lib/workloads/kruise/status';
import { type WorkloadStatus } from '@/lib/workloads/status';
import { type Workload } from '@/lib/history/workload';
import { isObservedOnce } from '@/lib/workloads/observed-generation';

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
  const chosen = findChosenPod(input);
  const findings = [
    ...checkPodDeletion(input, chosen),
    ...refuseIf(
      !cloneSetRules.rollingOf(input.workload).isOnDelete,
      'not_blocking',
      'The CloneSet updates its pods automatically.',
      'Change its partition, or resume it if it is paused.',
    ),
  ];
  if (chosen === undefined) return { plan: null, findings };
  return unlessRefused(findings, () =>
    planPodDeletion(input, chosen, { stays: ['All other pods keep running.'] }),
  );
}

/** The status of a CloneSet, from the same facts as `kubectl-kruise rollout status`, and more detailed. */
function cloneSetStatus(input: StatusInput & TimeInput): WorkloadStatus {
  const { workload } = input;
  return kruiseStatus(input, {
    rules: cloneSetRules,
    counts: countsOfPods(workload),
    kubectl: kubectlStatus(workload),
  });
}

/**
 * The tool knows only the members of v1alpha1, reads the partition only for updates in place, and reads a
 * percentage as 0.
 * https://github.com/openkruise/kruise-tools/blob/master/pkg/internal/polymorphichelpers/rollout_status.go
 */
function kubectlStatus(workload: Workload): WorkloadStatus['kubectl'] {
  const { spec, status } = workload;
  const { updated, ready, available } = countsOfPods(workload);
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
