import { activationsOfControllerRevisions } from '@/lib/history/activations';
import { findAdoption } from '@/lib/history/adoption';
import { assembleHistory, type AssembledFacts } from '@/lib/history/assemble';
import { causeOfControllerRevision, inheritedByControllerRevisions } from '@/lib/history/change-cause';
import { explainControllerRevision } from '@/lib/history/explanation';
import { compareSources } from '@/lib/history/revision-order';
import type { RevisionHistory, Revision } from '@/lib/history/revision';
import type { HistoryInput } from '@/lib/workloads/kind';
import type { PodSummary } from '@/lib/history/pod';
import type { RevisionSource } from '@/lib/history/workload';

/** What a kind with ControllerRevisions decides by itself. */
export type KindRules = Pick<
  AssembledFacts,
  'target' | 'isCurrent' | 'isLiveForController' | 'sourceOfPod' | 'prunedNext' | 'warnings'
>;

/** Revisions and pods that the workload's uid controls, revisions oldest first. */
export function findOwned({ workload, sources, pods }: HistoryInput): {
  oldestFirst: RevisionSource[];
  pods: PodSummary[];
} {
  return {
    oldestFirst: sources.filter((source) => source.controllerUid === workload.uid).toSorted(compareSources),
    pods: pods.filter((pod) => pod.controllerUid === workload.uid),
  };
}

/** A history whose revisions are ControllerRevisions. */
export function assembleControllerRevisionHistory(
  input: HistoryInput,
  owned: { oldestFirst: readonly RevisionSource[]; pods: readonly PodSummary[] },
  rules: KindRules,
): RevisionHistory {
  const adoption = findAdoption(owned.oldestFirst, input.workload, false);
  return assembleHistory({
    ...owned,
    ...rules,
    orphans: input.orphans.filter((orphan) => orphan.controllerUid === null),
    causeOf: causeOfControllerRevision,
    inheritedCauses: inheritedByControllerRevisions(owned.oldestFirst),
    activations: activationsOfControllerRevisions(owned.oldestFirst, rules.target, adoption),
    adoption,
    explain: explainControllerRevision,
  });
}

/**
 * The second to last by number, whatever runs.
 * https://github.com/kubernetes/kubectl/blob/master/pkg/polymorphichelpers/rollback.go (findHistory)
 */
export function findPreviousControllerRevision(history: RevisionHistory): Revision | null {
  return history.revisions.filter((revision) => revision.number !== null)[1] ?? null;
}
