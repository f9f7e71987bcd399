import { activationsOfReplicaSets } from '@/lib/history/activations';
import { findAdoption } from '@/lib/history/adoption';
import { causeOfReplicaSet } from '@/lib/history/change-cause';
import { explainReplicaSet } from '@/lib/history/explanation';
import { compareSources } from '@/lib/history/revision-order';
import type { RevisionSource, Workload } from '@/lib/history/workload';
import type { HistoryInput } from '@/lib/workloads/kind';

/** What the history of a workload with ReplicaSets consists of, whichever controller writes them. */
export function replicaSetFacts(
  { workload, sources, pods }: HistoryInput,
  findTarget: (workload: Workload, oldestFirst: readonly RevisionSource[]) => RevisionSource | null,
) {
  const oldestFirst = sources
    .filter((source) => source.controllerUid === workload.uid)
    .toSorted(compareSources);
  const target = findTarget(workload, oldestFirst);
  const adoption = findAdoption(oldestFirst, workload, true);
  const byUid = new Map(oldestFirst.map((source) => [source.uid, source]));
  const sourceOfPod = ({ controllerUid }: { controllerUid: string | null }) =>
    controllerUid === null ? undefined : byUid.get(controllerUid);
  return {
    ...{ oldestFirst, target, adoption, sourceOfPod },
    pods: pods.filter((pod) => sourceOfPod(pod) !== undefined),
    causeOf: causeOfReplicaSet,
    activations: activationsOfReplicaSets(oldestFirst, target, adoption),
    explain: explainReplicaSet,
  };
}
