import 'server-only';
import { hasTargetTemplate } from '@/lib/history/default-target';
import { isSameRelease } from '@/lib/history/restart';
import { REVERTED_WITHIN_MS, type ActivationOutcome } from '@/lib/history/proven-target';
import type { RevisionHistory } from '@/lib/history/revision';
import type { RecordSummary } from '@/lib/api/record-summary';
import { ownsPods, type WorkloadKind } from '@/lib/workloads/kind';
import { templateKeys } from '@/lib/records/template-meaning';
import type { RevisionEntry } from '@/server/reads/revision-entries';

/** What the records contain about the activations of these revisions, oldest first. */
export function recordedRuns(
  { target }: Pick<RevisionHistory, 'target'>,
  kind: Pick<WorkloadKind, 'pods'>,
  entries: readonly RevisionEntry[],
  summaries: readonly RecordSummary[],
): ActivationOutcome[] {
  const known = indexOf(summaries);
  const targetHash = entries.find(({ id }) => id === target?.id)?.hash ?? null;
  const targetRelease = targetHash === null ? null : known.releaseOf(targetHash);
  const runs = entries.flatMap((entry) =>
    entry.activations.flatMap(({ index, to }): (ActivationOutcome & { index: number })[] => {
      const summary = index === null ? undefined : known.ofActivation.get(index);
      if (summary === undefined || index === null) return [];
      const { id, number } = entry;
      const template = known.keyOf(summary.to.hash);
      return [
        {
          ...{ index, id, number, to },
          template,
          completed: summary.outcome === 'completed' && !ranNoPods(summary, kind),
          hadNoPods: ranNoPods(summary, kind),
          failed: isFailed(summary, known),
          endedAt: summary.endedAt,
          isUsable: known.releaseOf(summary.to.hash) !== targetRelease && isUsable(entry, target),
        },
      ];
    }),
  );
  return runs.sort((a, b) => a.index - b.index);
}

interface SummaryIndex {
  ofActivation: ReadonlyMap<number, RecordSummary>;
  byId: ReadonlyMap<string, RecordSummary>;
  /** The key of a template by its hash, see `templateKeys`. */
  keyOf: (hash: string) => string;
  /** The same key for a template and for every restart of it. */
  releaseOf: (hash: string) => string;
  /** The first activation whose rollout led from or to a template. */
  firstRun: ReadonlyMap<string, number>;
}

function indexOf(summaries: readonly RecordSummary[]): SummaryIndex {
  const keyOf = templateKeys(summaries.flatMap(({ from, to }) => [from, to]));
  const firstRun = new Map<string, number>();
  for (const { activation, from, to } of summaries) {
    for (const ref of from === null ? [to] : [from, to]) {
      const key = keyOf(ref.hash);
      firstRun.set(key, Math.min(activation, firstRun.get(key) ?? Infinity));
    }
  }
  const restarted = new Map<string, string>();
  const releaseOf = (hash: string) => restarted.get(keyOf(hash)) ?? keyOf(hash);
  for (const { from, to, restart } of summaries)
    if (restart && from !== null) restarted.set(keyOf(to.hash), releaseOf(from.hash));
  return {
    ofActivation: new Map(summaries.map((summary) => [summary.activation, summary])),
    byId: new Map(summaries.map((summary) => [summary.id, summary])),
    keyOf,
    releaseOf,
    firstRun,
  };
}

function isFailed(summary: RecordSummary, { ofActivation, byId, keyOf, firstRun }: SummaryIndex): boolean {
  if (summary.outcome === 'failed' || summary.verdict === 'bad') return true;
  // That owner knows nothing of how it ran, and without pods it did not.
  if (summary.outcome === 'undone' || summary.outcome === 'noPods') return false;
  const { activation, endedAt, revertedBy } = summary;
  const from = summary.from && keyOf(summary.from.hash);
  const to = keyOf(summary.to.hash);
  const hadRun = (template: string) => (firstRun.get(template) ?? Infinity) < activation;
  const follower = ofActivation.get(activation + 1);
  const next = follower && keyOf(follower.to.hash);
  // A return to what a rollback had left undoes the rollback: that is no failure of the rollback's target.
  if (hadRun(to) && next !== undefined && next === from) return false;
  const isReplaced = next !== undefined && next !== to && hadRun(next);
  if (summary.outcome === 'rolledBack' || isReplaced) return true;
  const later = revertedBy === null ? undefined : byId.get(revertedBy);
  const at = later?.startedAt ?? later?.startedNotAfter ?? null;
  if (at === null || endedAt === null) return false;
  return Date.parse(at) - Date.parse(endedAt) <= REVERTED_WITHIN_MS;
}

/** Records of former versions tell a rollout without pods as completed. */
function ranNoPods(
  { outcome, desiredPods, steps, progressiveRollout }: RecordSummary,
  kind: Pick<WorkloadKind, 'pods'>,
): boolean {
  if (outcome !== 'completed') return outcome === 'noPods';
  const hasPods = steps.some(({ pods }) => pods) || progressiveRollout?.unassigned === true;
  return desiredPods === 0 && !hasPods && ownsPods(kind);
}

function isUsable(entry: RevisionEntry, target: RevisionHistory['target']): boolean {
  switch (entry.kind) {
    case 'archived':
      return entry.hasTemplate;
    case 'retained':
      return (
        entry.revision.source.deletedAt === null &&
        !hasTargetTemplate({ target }, entry.revision) &&
        (target === null || !isSameRelease(entry.revision.source, target.source))
      );
    default:
      return entry satisfies never;
  }
}
