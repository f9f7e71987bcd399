import { prunedByStatefulSet } from '@/lib/history/revision-pruning';
import type { RevisionHistory } from '@/lib/history/revision';
import {
  advancedStatefulSetRules as rules,
  isUnordered,
  partitionOf,
} from '@/lib/workloads/advanced-stateful-set/strategy';
import type {
  HistoryInput,
  WorkloadKind,
  ControlInput,
  PlanResult,
  RollbackInput,
} from '@/lib/workloads/kind';
import { kruiseKind, kruiseWrites } from '@/lib/workloads/kruise/kind';
import { kruiseHistory } from '@/lib/workloads/kruise/revisions';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';
import { textAt, numberAt } from '@/lib/kube/read';
import { indexOf } from '@/lib/workloads/stateful-set/ordinals';
import type { PodSummary } from '@/lib/history/pod';
import { planKruiseRollback } from '@/lib/workloads/kruise/rollback';
import { planBlockingPodDeletion } from '@/lib/workloads/stateful-set/controls';
import { checkClaimTemplates } from '@/lib/workloads/stateful-set/rollback';
import { countKruisePods, kruiseFacts } from '@/lib/workloads/kruise/facts';
import type { WorkloadStatus } from '@/lib/engine/status';
import type { Workload } from '@/lib/history/workload';
import { isObservedOnce } from '@/lib/workloads/reported';

/** https://openkruise.io/docs/user-manuals/advancedstatefulset */
export const advancedStatefulSet: WorkloadKind = {
  ...kruiseKind(rules),
  source: controllerRevisions,
  history: readHistory,
  facts: (input) => kruiseFacts(input, rules, countKruisePods(input.workload), kubectlStatus(input.workload)),
  writes: {
    rollback: planAdvancedStatefulSetRollback,
    ...kruiseWrites(rules),
    deletePod: (input) => planBlockingPodDeletion(input, 'the Advanced StatefulSet updates', mustBeDeleted),
  },
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

function mustBeDeleted({ workload, history, pods }: ControlInput, pod: PodSummary): boolean {
  if (rules.rollingOf(workload).isOnDelete) return true;
  const others = pods.filter(({ uid }) => history.revisionOfPod.get(uid)?.target !== true);
  return rules.findBlockingPod(workload, others, pods)?.uid === pod.uid;
}

/** Rollback of an Advanced StatefulSet; claim templates have no history, as with a StatefulSet. */
function planAdvancedStatefulSetRollback(input: RollbackInput): PlanResult {
  return planKruiseRollback(rules, input, {
    findings: checkClaimTemplates(input),
    stays: ['Volume claim templates, claims and their data are not rolled back.'],
  });
}

/** https://github.com/openkruise/kruise-tools/blob/master/pkg/internal/polymorphichelpers/rollout_status.go */
function kubectlStatus(workload: Workload): WorkloadStatus['kubectl'] {
  const { spec, status } = workload;
  const { updated, ready, available } = countKruisePods(workload);
  const replicas = numberAt(spec, 'replicas');
  const partition = numberAt(spec, 'updateStrategy', 'rollingUpdate', 'partition');
  const isRolling = textAt(spec, 'updateStrategy', 'type') === 'RollingUpdate';
  if (isRolling && replicas !== undefined && partition !== undefined && updated < replicas - partition)
    return {
      text: `Waiting for partitioned roll out to finish:${updated} out of ${replicas - partition} new pods has been updated...`,
      verdict: 'waiting',
    };
  if (!isObservedOnce(workload))
    return { text: 'Waiting for Advanced StatefulSet spec update to be observed...', verdict: 'waiting' };
  if (replicas !== undefined && ready < replicas)
    return { text: `Waiting for ${replicas - ready} pods to be ready...`, verdict: 'waiting' };
  const update = textAt(status, 'updateRevision') ?? '';
  return {
    text: `Advanced StatefulSet rolling update complete ${available} pods at revision ${update}...`,
    verdict: 'done',
  };
}
