import { previousControllerRevision } from '@/lib/history/controller-revisions';
import { type WorkloadKind } from '@/lib/workloads/kind';
import { planGroupRestart, planPartition } from '@/lib/workloads/leader-worker-set/controls';
import { groupsOf } from '@/lib/workloads/leader-worker-set/groups';
import { podMarks, WORKER_INDEX } from '@/lib/workloads/leader-worker-set/marks';
import { groupOfPod, memberOfPod, wholeOfPod } from '@/lib/workloads/leader-worker-set/objects';
import { leaderWorkerSets } from '@/lib/workloads/leader-worker-set/resource';
import { isObserved, readHistory } from '@/lib/workloads/leader-worker-set/revisions';
import { planRollback, refusalOfOwned } from '@/lib/workloads/leader-worker-set/rollback';
import {
  describeStrategy,
  partitionOf,
  replicasOf,
  sizeOf,
  surgeOf,
} from '@/lib/workloads/leader-worker-set/spec';
import { leaderWorkerSetStatus } from '@/lib/workloads/leader-worker-set/status';
import { groupTemplatePlace } from '@/lib/workloads/leader-worker-set/template';
import { templateParts } from '@/lib/kube/template-parts';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';
import { CHANGE_CAUSE } from '@/lib/workloads/summarise';

/** https://lws.sigs.k8s.io/docs/overview/ */
export const leaderWorkerSet: WorkloadKind = {
  resource: leaderWorkerSets,
  source: controllerRevisions,
  template: groupTemplatePlace,
  podOwner: 'part',
  podMarks,
  wholeOfPod,
  history: readHistory,
  status: leaderWorkerSetStatus,
  strategy: describeStrategy,
  desiredPods: (workload) => replicasOf(workload) * sizeOf(workload),
  isPaused: () => false,
  partition: (workload) => ({
    keeps: 'ordinals',
    value: partitionOf(workload),
    of: { noun: 'group', total: replicasOf(workload) },
  }),
  isObserved,
  // Its controller copies no annotation, so until the next change it is that of the last one.
  targetCause: (standing) =>
    isObserved(standing) ? (standing.workload.annotations[CHANGE_CAUSE] ?? null) : null,
  surgePods: (workload) => surgeOf(workload) * sizeOf(workload),
  groups: groupsOf,
  groupOfPod: (pod) => {
    const [index, member] = [groupOfPod(pod), memberOfPod(pod)];
    return index === null || member === null ? null : { index, member };
  },
  podTemplateOf: (template, { metadata: { labels } }) => {
    const parts = templateParts(template);
    const role = labels?.[WORKER_INDEX] === '0' ? 'leader' : 'worker';
    return (parts.find((part) => part.role === role) ?? parts[0])?.template ?? template;
  },
  movesPartition: true,
  refusesRollback: refusalOfOwned,
  planRollback,
  controls: { partition: planPartition, deletePod: planGroupRestart },
  previous: previousControllerRevision,
};
