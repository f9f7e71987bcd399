import { assembleHistory } from '@/lib/history/assemble';
import { inheritedByNumber } from '@/lib/history/change-cause';
import { isEqualTemplate } from '@/lib/history/template-equality';
import { compareCreation } from '@/lib/history/revision-order';
import { prunedByDeployment } from '@/lib/history/revision-pruning';
import { formatRevision, type RevisionHistory, type Revision } from '@/lib/history/revision';
import { isSpecObserved } from '@/lib/workloads/argo-rollout/phase';
import { TEMPLATE_HASH } from '@/lib/workloads/argo-rollout/resource';
import { referencedWorkload } from '@/lib/workloads/argo-rollout/spec';
import type { HistoryInput } from '@/lib/workloads/kind';
import { replicaSetFacts } from '@/lib/workloads/replica-set-history';
import { numberAt, textAt } from '@/lib/kube/read';
import type { RevisionSource, Workload } from '@/lib/history/workload';

const LIMIT = 10;

/**
 * The history of an Argo Rollout: one ReplicaSet for each template, numbered by annotations. Those of
 * experiments are controlled by the Experiment and do not belong to it.
 * https://github.com/argoproj/argo-rollouts/blob/master/utils/annotations/annotations.go
 */
export function readHistory(input: HistoryInput): RevisionHistory {
  const { workload, orphans } = input;
  const facts = replicaSetFacts(input, findTarget);
  const { oldestFirst, target } = facts;
  const stable = sourceOfHash(oldestFirst, textAt(workload.status, 'stableRS'));
  return assembleHistory({
    ...facts,
    orphans: orphans.filter(
      (orphan) => orphan.controllerUid === null && Object.hasOwn(orphan.labels, TEMPLATE_HASH),
    ),
    isCurrent: (source) => source.uid === (stable ?? target)?.uid,
    isLiveForController: (source) => source.uid === stable?.uid,
    inheritedCauses: inheritedByNumber(oldestFirst),
    prunedNext: new Set(findPrunedNext(workload, oldestFirst)),
    warnings: warningsOf(workload, target, stable),
  });
}

/** The ReplicaSet of a hash that the status names. */
function sourceOfHash(sources: readonly RevisionSource[], hash: string | undefined): RevisionSource | null {
  if (hash === undefined || hash === '') return null;
  return sources.find(({ labels }) => labels[TEMPLATE_HASH] === hash) ?? null;
}

/** The revision of a hash that the status names. */
export function revisionOfHash({ revisions }: RevisionHistory, hash: string | null): Revision | null {
  if (hash === null || hash === '') return null;
  return revisions.find(({ source }) => source.labels[TEMPLATE_HASH] === hash) ?? null;
}

/** The second highest number: the default of `kubectl argo rollouts undo`. */
export function previousRevision({ revisions }: RevisionHistory): Revision | null {
  const numbered = revisions.filter(({ number }) => number !== null);
  return numbered.toSorted((a, b) => (b.number ?? 0) - (a.number ?? 0))[1] ?? null;
}

/**
 * The ReplicaSet of the current template. Its hash decides where no template is equal: another object may
 * hold the template, and role metadata may have overwritten values of it.
 */
function findTarget(workload: Workload, sources: readonly RevisionSource[]): RevisionSource | null {
  const isReferenced = referencedWorkload(workload) !== null;
  const equal = isReferenced
    ? []
    : sources.filter((source) => isEqualTemplate(source, workload)).toSorted(compareCreation);
  const named = isSpecObserved(workload)
    ? sourceOfHash(sources, textAt(workload.status, 'currentPodHash'))
    : null;
  return equal.find(({ uid }) => uid === named?.uid) ?? equal[0] ?? named;
}

/**
 * Once one more revision is stable, all current ReplicaSets are old and empty. The controller deletes the
 * oldest by creation first.
 */
function findPrunedNext(workload: Workload, sources: readonly RevisionSource[]): string[] {
  const limit = numberAt(workload.spec, 'revisionHistoryLimit') ?? LIMIT;
  return prunedByDeployment(sources.toSorted(compareCreation), limit);
}

function warningsOf(
  { status }: Workload,
  target: RevisionSource | null,
  stable: RevisionSource | null,
): string[] {
  if (status.abort !== true || target === null || target.uid === stable?.uid) return [];
  const servingText = stable === null ? 'the stable revision' : `the stable revision ${nameOf(stable)}`;
  return [
    `The rollout of revision ${nameOf(target)} was aborted: the spec still requests it, but ${servingText} serves.`,
  ];
}

function nameOf({ name, number }: RevisionSource): string {
  return formatRevision({ name, number: number.kind === 'number' ? number.value : null });
}
