import { assembleHistory } from '@/lib/history/assemble';
import { inheritedByNumber } from '@/lib/history/change-cause';
import { isEqualTemplate } from '@/lib/history/template-equality';
import { compareCreation } from '@/lib/history/revision-order';
import { prunedByDeployment } from '@/lib/history/revision-pruning';
import { formatRevision, type RevisionHistory, type Revision } from '@/lib/history/revision';
import { type ArgoReading, readArgo } from '@/lib/argo/reading';
import { TEMPLATE_HASH } from '@/lib/argo/resource';
import type { HistoryInput } from '@/lib/workloads/kind';
import { replicaSetFacts } from '@/lib/workloads/replica-set-history';
import { numberAt } from '@/lib/kube/read';
import type { RevisionSource, Workload } from '@/lib/history/workload';

const LIMIT = 10;

/**
 * The history of an Argo Rollout: one ReplicaSet for each template, numbered by annotations. Those of
 * experiments are controlled by the Experiment and do not belong to it.
 * https://github.com/argoproj/argo-rollouts/blob/master/utils/annotations/annotations.go
 */
export function readHistory(input: HistoryInput): RevisionHistory {
  const { workload, orphans } = input;
  const rollout = readArgo(workload);
  const facts = replicaSetFacts(input, (_, sources) => findTarget(workload, rollout, sources));
  const { oldestFirst, target } = facts;
  const stable = sourceOfHash(oldestFirst, rollout.stableHash);
  return assembleHistory({
    ...facts,
    orphans: orphans.filter(
      (orphan) => orphan.controllerUid === null && Object.hasOwn(orphan.labels, TEMPLATE_HASH),
    ),
    isCurrent: (source) => source.uid === (stable ?? target)?.uid,
    isLiveForController: (source) => source.uid === stable?.uid,
    inheritedCauses: inheritedByNumber(oldestFirst),
    prunedNext: new Set(findPrunedNext(workload, oldestFirst)),
    warnings: warningsOf(rollout, target, stable),
  });
}

/** The ReplicaSet of a hash that the status names. */
function sourceOfHash(sources: readonly RevisionSource[], hash: string | null): RevisionSource | null {
  if (hash === null) return null;
  return sources.find(({ labels }) => labels[TEMPLATE_HASH] === hash) ?? null;
}

/** The revision of a hash that the status names. */
export function revisionOfHash({ revisions }: RevisionHistory, hash: string | null): Revision | null {
  if (hash === null) return null;
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
function findTarget(
  workload: Workload,
  { reference, isBehind, currentHash }: ArgoReading,
  sources: readonly RevisionSource[],
): RevisionSource | null {
  const own = reference === null ? sources.filter((source) => isEqualTemplate(source, workload)) : [];
  const equal = own.toSorted(compareCreation);
  const named = isBehind ? null : sourceOfHash(sources, currentHash);
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
  { aborted }: ArgoReading,
  target: RevisionSource | null,
  stable: RevisionSource | null,
): string[] {
  if (!aborted || target === null || target.uid === stable?.uid) return [];
  const servingText = stable === null ? 'the stable revision' : `the stable revision ${nameOf(stable)}`;
  return [
    `The rollout of revision ${nameOf(target)} was aborted: the spec still requests it, but ${servingText} serves.`,
  ];
}

function nameOf({ name, number }: RevisionSource): string {
  return formatRevision({ name, number: number.kind === 'number' ? number.value : null });
}
