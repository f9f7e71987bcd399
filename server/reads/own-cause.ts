import 'server-only';
import { type Revision } from '@/lib/history/revision';
import { type ArchivedRevision } from '@/lib/api/incarnation';

/**
 * The revision with the change cause that was given for it, where the archive observed that: a controller copies the
 * workload's annotation to its newest revision, so that the cause of a change stands on the revision before it as well.
 */
export function withOwnCause(revision: Revision, known: readonly ArchivedRevision[]): Revision {
  const own = known.find(({ id }) => id === revision.id);
  if (own === undefined) return revision;
  const { changeCause } = revision;
  const isOfAnother =
    changeCause !== own.changeCause && known.some((other) => other.changeCause === changeCause);
  if (changeCause === null || isOfAnother)
    return { ...revision, changeCause: own.changeCause, causeInheritedFrom: null };
  const origin = known.find(({ numbers }) => numbers.includes(revision.causeInheritedFrom ?? NaN));
  const isInherited = origin === undefined || origin.changeCause === changeCause;
  return isInherited ? revision : { ...revision, causeInheritedFrom: null };
}
