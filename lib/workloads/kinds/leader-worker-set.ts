import { findPreviousControllerRevision } from '@/lib/workloads/controller-revisions';
import type { WorkloadKind } from '@/lib/workloads/kind';
import { groupsOf } from '@/lib/workloads/leader-worker-set/groups';
import { podMetadataKeys, WORKER_INDEX } from '@/lib/workloads/leader-worker-set/metadata';
import { groupOfPod, memberOfPod, parentOfPod } from '@/lib/workloads/leader-worker-set/objects';
import { leaderWorkerSets } from '@/lib/workloads/leader-worker-set/resource';
import { isObserved, readHistory } from '@/lib/workloads/leader-worker-set/revisions';
import {
  checkOwned,
  planGroupPartition,
  planGroupRestart,
  planRollback,
} from '@/lib/workloads/leader-worker-set/writes';
import {
  describeStrategy,
  partitionOf,
  replicasOf,
  sizeOf,
  surgeOf,
} from '@/lib/workloads/leader-worker-set/spec';
import { leaderWorkerSetFacts } from '@/lib/workloads/leader-worker-set/facts';
import { groupTemplateLocation } from '@/lib/workloads/leader-worker-set/template';
import { podTemplatesOf } from '@/lib/kube/pod-templates';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';
import { CHANGE_CAUSE } from '@/lib/workloads/template-facts';

/** https://lws.sigs.k8s.io/docs/overview/ */
export const leaderWorkerSet: WorkloadKind = {
  resource: leaderWorkerSets,
  source: controllerRevisions,
  template: {
    location: groupTemplateLocation,
    podTemplateOf: (template, { metadata: { labels } }) => {
      const parts = podTemplatesOf(template);
      const role = labels?.[WORKER_INDEX] === '0' ? 'leader' : 'worker';
      return (parts.find((part) => part.role === role) ?? parts[0])?.template ?? template;
    },
  },
  pods: { owner: 'child', metadataKeys: podMetadataKeys, parentOf: parentOfPod },
  history: readHistory,
  facts: leaderWorkerSetFacts,
  settings: (workload) => ({
    desiredPods: replicasOf(workload) * sizeOf(workload),
    surgePods: surgeOf(workload) * sizeOf(workload),
    partition: {
      keeps: 'ordinals',
      value: partitionOf(workload),
      of: { noun: 'group', total: replicasOf(workload) },
    },
    strategy: describeStrategy(workload),
  }),
  revisions: {
    // Its controller copies no annotation, so until the next change it is that of the last revision.
    targetChangeCause: (input) =>
      isObserved(input) ? (input.workload.annotations[CHANGE_CAUSE] ?? null) : null,
  },
  groups: {
    read: groupsOf,
    ofPod: (pod) => {
      const [index, member] = [groupOfPod(pod), memberOfPod(pod)];
      return index === null || member === null ? null : { index, member };
    },
  },
  writes: {
    rollback: planRollback,
    movesPartition: true,
    refusesRollback: checkOwned,
    isObserved,
    partition: planGroupPartition,
    deletePod: planGroupRestart,
  },
  previous: findPreviousControllerRevision,
};
