import 'server-only';
import type { Mention } from '@/lib/api/review';
import { findMentions, possibleNames } from '@/lib/format/mentions';
import type { PersonRepository } from '@/server/archive/people';

/** A comment is no distribution list. */
const MENTIONED_MAX = 100;

/** The people whom a text mentions, of those who have been seen: everyone of a name that several have. */
export async function mentionsOf(people: Pick<PersonRepository, 'named'>, body: string): Promise<Mention[]> {
  const known = await people.named(possibleNames(body), MENTIONED_MAX);
  const ranges = findMentions(
    body,
    known.map(({ name }) => name),
  );
  const found = new Set(ranges.map(({ name }) => name.toLowerCase()));
  return known.filter(({ name }) => found.has(name.toLowerCase()));
}
