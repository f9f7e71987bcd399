import { type WorkloadFacts, plainFacts } from '@/lib/engine/facts';
import { readKubectlLine } from '@/lib/engine/status';
import type { UpdateRules } from '@/lib/engine/update';
import { formatCount } from '@/lib/format/text';
import type { RevisionHistory } from '@/lib/history/revision';
import { type IsLive, prunedByDaemonSet } from '@/lib/history/revision-pruning';
import { isEqualTemplate } from '@/lib/history/template-equality';
import type { RevisionSource, Workload } from '@/lib/history/workload';
import { numberAt, valueAt } from '@/lib/kube/read';
import type { ResourceType } from '@/lib/kube/resource';
import { allReadySince, outdatedPods } from '@/lib/pods/by-revision';
import { assembleControllerRevisionHistory, findOwned } from '@/lib/workloads/controller-revisions';
import { buildRevisionFinder, describeRelabelledPods } from '@/lib/workloads/daemon-set/pods';
import {
  describeDaemonSetStrategy,
  desiredNodes,
  isOnDelete,
  maxUnavailableNodes,
} from '@/lib/workloads/daemon-set/strategy';
import type { HistoryInput, StatusInput, WorkloadKind } from '@/lib/workloads/kind';
import { controllingRolloutOf } from '@/lib/workloads/kruise-rollout-metadata';
import { type PodCounts, countNodes, isObserved, readFailedCreate } from '@/lib/workloads/reported';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';
import { updateKind } from '@/lib/workloads/update-kind';

const resource: ResourceType = {
  id: 'daemonsets.apps',
  group: 'apps',
  versions: ['v1'],
  plural: 'daemonsets',
  kind: 'DaemonSet',
};

const rules: UpdateRules = {
  resource,
  title: 'DaemonSet',
  unit: 'node',
  rolloutMoves: 'byDeletion',
  rollingOf: (workload) => ({
    isOnDelete: isOnDelete(workload),
    surge: valueAt(workload.spec, 'updateStrategy', 'rollingUpdate', 'maxSurge'),
  }),
  desiredOf: desiredNodes,
  describeStrategy: describeDaemonSetStrategy,
  unavailableOf: maxUnavailableNodes,
  pace(workload) {
    const atOnce = maxUnavailableNodes(workload);
    if (atOnce === 0) return 'each after the new pod of its node has started';
    return `unavailable ones first, at most ${formatCount(atOnce, 'node')} at a time`;
  },
};

/** https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/ */
export const daemonSet: WorkloadKind = {
  ...updateKind(rules),
  source: controllerRevisions,
  history: readHistory,
  facts: readFacts,
};

function readHistory(input: HistoryInput): RevisionHistory {
  const { workload } = input;
  const owned = findOwned(input);
  const { oldestFirst, pods } = owned;
  const target = findTarget(workload, oldestFirst);
  const sourceOfPod = buildRevisionFinder(workload, oldestFirst, target);
  const running = new Set(pods.map((pod) => sourceOfPod(pod)?.uid));
  // Once one more revision is complete no pod runs an older one, except where pods wait to be deleted.
  const isLive: IsLive = ({ uid }) => isOnDelete(workload) && running.has(uid);
  const limit = numberAt(workload.spec, 'revisionHistoryLimit') ?? 10;
  return assembleControllerRevisionHistory(input, owned, {
    target,
    isCurrent: (source) => source.uid === target?.uid,
    isLiveForController: () => false,
    sourceOfPod,
    prunedNext: new Set(prunedByDaemonSet(oldestFirst, limit, isLive)),
    warnings: describeRelabelledPods(pods, oldestFirst, sourceOfPod),
  });
}

/**
 * The controller compares bytes and of several equal ones keeps the highest number; meaning decides only
 * where no bytes agree, as between servers of different versions.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/daemon/update.go (constructHistory)
 */
function findTarget(workload: Workload, oldestFirst: readonly RevisionSource[]): RevisionSource | null {
  return (
    oldestFirst.findLast((source) => source.bodyId === workload.bodyId) ??
    oldestFirst.findLast((source) => isEqualTemplate(source, workload)) ??
    null
  );
}

/**
 * What a DaemonSet reports, as `kubectl rollout status` reads it. It does not report when an update completed: with every
 * node updated and some pods ready, that is assumed.
 * https://github.com/kubernetes/kubectl/blob/master/pkg/polymorphichelpers/rollout_status.go
 */
function readFacts(input: StatusInput): WorkloadFacts {
  const { workload, history, pods } = input;
  const counts = countNodes(workload, desiredNodes(workload));
  const { desired, updated, ready, available } = counts;
  const onDelete = isOnDelete(workload);
  const rollout = onDelete ? controllingRolloutOf(workload) : null;
  const isMoving = rollout !== null && outdatedPods(history, pods).length > 0;
  return {
    ...plainFacts(input),
    unit: 'node',
    isObserved: isObserved(workload),
    counts: { desired, ready, updated, available },
    progress: { updated, goal: desired, serving: available, servingWord: 'available', desired },
    isScaledDown: desired === 0,
    isFinished: available >= desired && !isMoving && (onDelete || updated >= desired),
    finishedAt: allReadySince(pods, desired),
    completedBefore: updated >= desired && ready > 0 ? 'assumed' : 'no',
    // A Rollout sets OnDelete during its rollout, and deletes the pods of each step itself.
    movedBy: rollout === null ? null : { rollout, by: 'onDelete' },
    isOnDelete: onDelete && rollout === null,
    failure: readFailedCreate(input, desired),
    waitsForDeletion: true,
    kubectl: readKubectlLine(kubectlStatus(workload, counts)),
  };
}

function kubectlStatus(workload: Workload, counts: PodCounts): string {
  if (isOnDelete(workload)) return 'error: rollout status is only available for RollingUpdate strategy type';
  if (!isObserved(workload)) return 'Waiting for daemon set spec update to be observed...';
  const { desired, updated, available } = counts;
  const waiting = `Waiting for daemon set "${workload.name}" rollout to finish:`;
  if (updated < desired) return `${waiting} ${updated} out of ${desired} new pods have been updated...`;
  if (available < desired) return `${waiting} ${available} of ${desired} updated pods are available...`;
  return `daemon set "${workload.name}" successfully rolled out`;
}
