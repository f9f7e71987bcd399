import { isSameRelease } from '@/lib/history/restart';
import type { RevisionHistory, Revision } from '@/lib/history/revision';
import type { TemplateFacts } from '@/lib/history/workload';
import { formatCount } from '@/lib/format/text';

/** The revision that a rollback offers first, and why. */
interface DefaultTarget {
  revision: Revision;
  /** "still serves with 9 ready pods", "not known whether it ran well". */
  why: string;
}

/**
 * The newest revision other than the target that still has ready pods, else `previous`, kubectl's own choice.
 * A template that equals the current one, or differs from it by a restart alone, is no candidate; those of `withoutPods`
 * come last. Null when there is no candidate.
 */
export function chooseDefaultTarget(
  history: RevisionHistory,
  previous: Revision | null,
  workload: TemplateFacts,
  withoutPods: ReadonlySet<string> = new Set(),
): DefaultTarget | null {
  const current = history.target?.source ?? workload;
  const isCandidate = (revision: Revision) =>
    !revision.target &&
    revision.source.deletedAt === null &&
    revision.source.fault === undefined &&
    !hasTargetTemplate(history, revision) &&
    !isSameRelease(revision.source, current);
  const serving = history.revisions.find((revision) => isCandidate(revision) && revision.pods.ready > 0);
  if (serving !== undefined)
    return { revision: serving, why: `still serves with ${formatCount(serving.pods.ready, 'ready pod')}` };
  const candidates = [...(previous === null ? [] : [previous]), ...history.revisions].filter(isCandidate);
  const fallback = candidates.find(({ id }) => !withoutPods.has(id)) ?? candidates[0];
  if (fallback === undefined) return null;
  const { total } = fallback.pods;
  const unknown = withoutPods.has(fallback.id) ? 'no pods ran' : 'outcome unknown';
  const why = total === 0 ? unknown : `none of its ${formatCount(total, 'pod')} is ready`;
  return { revision: fallback, why };
}

/** Whether it has the template of the target: duplicates of one template name the same original, or are it. */
export function hasTargetTemplate({ target }: Pick<RevisionHistory, 'target'>, revision: Revision): boolean {
  if (target === null) return false;
  return (revision.duplicateOf ?? revision.id) === (target.duplicateOf ?? target.id);
}
