import {
  assembleControllerRevisionHistory,
  findOwned,
  findPreviousControllerRevision,
} from '@/lib/workloads/controller-revisions';
import { isEqualTemplate } from '@/lib/history/template-equality';
import { prunedByDaemonSet } from '@/lib/history/revision-pruning';
import type { RevisionHistory } from '@/lib/history/revision';
import { planDaemonSetPodDeletion, planDaemonSetRestart } from '@/lib/workloads/daemon-set/controls';
import { describeRelabelledPods, buildRevisionFinder } from '@/lib/workloads/daemon-set/pods';
import { planDaemonSetRollback } from '@/lib/workloads/daemon-set/rollback';
import { daemonSetFacts } from '@/lib/workloads/daemon-set/facts';
import { describeDaemonSetStrategy, desiredNodes, isOnDelete } from '@/lib/workloads/daemon-set/strategy';
import type { HistoryInput, WorkloadKind } from '@/lib/workloads/kind';
import { numberAt } from '@/lib/kube/read';
import type { ResourceType } from '@/lib/kube/resource';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';
import type { RevisionSource, Workload } from '@/lib/history/workload';

const resource: ResourceType = {
  id: 'daemonsets.apps',
  group: 'apps',
  versions: ['v1'],
  plural: 'daemonsets',
  kind: 'DaemonSet',
};

/** https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/ */
export const daemonSet: WorkloadKind = {
  resource,
  source: controllerRevisions,
  pods: { owner: 'workload' },
  history: readHistory,
  facts: daemonSetFacts,
  settings: (workload) => ({
    desiredPods: desiredNodes(workload),
    strategy: describeDaemonSetStrategy(workload),
  }),
  writes: {
    rollback: (input) => planDaemonSetRollback(resource, input),
    restart: (input) => planDaemonSetRestart(resource, input),
    deletePod: planDaemonSetPodDeletion,
  },
  previous: findPreviousControllerRevision,
};

function readHistory(input: HistoryInput): RevisionHistory {
  const { workload } = input;
  const owned = findOwned(input);
  const { oldestFirst, pods } = owned;
  const target = findTarget(workload, oldestFirst);
  const sourceOfPod = buildRevisionFinder(workload, oldestFirst, target);
  const running = new Set(pods.map((pod) => sourceOfPod(pod)?.uid));
  // Once one more revision is complete no pod runs an older one, except where pods wait to be deleted.
  const retained = oldestFirst.map((source) => ({
    id: source.uid,
    live: isOnDelete(workload) && running.has(source.uid),
    busy: false,
    deleting: source.deletedAt !== null,
  }));
  const limit = numberAt(workload.spec, 'revisionHistoryLimit') ?? 10;
  return assembleControllerRevisionHistory(input, owned, {
    target,
    isCurrent: (source) => source.uid === target?.uid,
    isLiveForController: () => false,
    sourceOfPod,
    prunedNext: new Set(prunedByDaemonSet(retained, limit)),
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
