import { type History, type Revision } from '@/lib/history/revision';
import { count } from '@/lib/workloads/words';

/** The revision that a rollback offers first, and why. */
export interface DefaultTarget {
  revision: Revision;
  /** "still serves with 9 ready pods", "not known whether it ran well". */
  why: string;
}

/**
 * The newest revision other than the target that still has ready pods, else `previous`, kubectl's own choice. A template
 * equal to the present one is no way back. Null when there is nowhere to go.
 */
export function defaultTarget(history: History, previous: Revision | null): DefaultTarget | null {
  const isWayBack = (revision: Revision) =>
    !revision.target &&
    revision.source.deletedAt === null &&
    revision.source.fault === undefined &&
    !equalsTarget(history, revision);
  const serving = history.revisions.find((revision) => isWayBack(revision) && revision.pods.ready > 0);
  if (serving !== undefined)
    return { revision: serving, why: `still serves with ${count(serving.pods.ready, 'ready pod')}` };
  const last =
    previous !== null && isWayBack(previous) ? previous : (history.revisions.find(isWayBack) ?? null);
  if (last === null) return null;
  const { total } = last.pods;
  const why = total === 0 ? 'not known whether it ran well' : `none of its ${count(total, 'pod')} is ready`;
  return { revision: last, why };
}

/** Whether it has the template of the target: duplicates of one template name the same original, or are it. */
export function equalsTarget({ target }: Pick<History, 'target'>, revision: Revision): boolean {
  if (target === null) return false;
  return (revision.duplicateOf ?? revision.id) === (target.duplicateOf ?? target.id);
}
