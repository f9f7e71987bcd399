import { useQuery } from '@tanstack/react-query';
import { peopleQuery } from '@/components/queries/people';
import { followUpsQuery } from '@/components/queries/review';
import type { QueuedRecord } from '@/lib/api/review-queue';
import type { ReviewItem } from '@/lib/api/review';
import { toolOf } from '@/lib/view/tool';

/** All who have signed in in a team; a browser filters them as one types. */
const PEOPLE_MAX = 100;

type Involving = Pick<QueuedRecord, 'actor'> & { review: ReviewItem };

/**
 * People to suggest as assignees: those of `records` in their order, then those of open follow-ups, then those who have
 * signed in. Tools are left out.
 */
export function useRecentPeople(records: readonly Involving[], enabled: boolean): readonly string[] {
  const { data } = useQuery({ ...followUpsQuery({}), enabled });
  const { data: signedIn } = useQuery({ ...peopleQuery(), enabled });
  const followedUp = data?.items ?? [];
  const names = [
    ...records.flatMap(peopleOf),
    ...followedUp.flatMap(({ review }) => review.followUp?.person ?? []),
    ...followedUp.flatMap(peopleOf),
    ...(signedIn?.items ?? []).map(({ name }) => name),
  ];
  return [...new Set(names)].slice(0, PEOPLE_MAX);
}

/** Who changed the workload, reviewed it, or commented on it. */
function peopleOf({ actor, review }: Involving): string[] {
  const names = [personOf(actor), review.by, ...review.comments.map(({ by }) => by)];
  return [...new Set(names.filter((name) => name !== null))];
}

/** Null where only a tool is known. */
function personOf(actor: QueuedRecord['actor']): string | null {
  if (actor === null) return null;
  if (actor.source === 'shiplog') return actor.name;
  const manager = actor.manager ?? actor.name;
  return actor.name === manager || actor.name === toolOf(manager) ? null : actor.name;
}
