import 'server-only';
import type { Fleet } from '@/server/views/fleet';
import type { PersonFacts } from '@/server/shared/viewer';

/**
 * The viewer as verdicts and comments know them, without a cluster and in each cluster; null where everyone views as
 * one.
 */
export function ownIdentities({
  person,
  clusters,
}: Pick<Fleet, 'person' | 'clusters'>): readonly Pick<PersonFacts, 'id' | 'name'>[] | null {
  if (person.readOnly === 'anonymous') return null;
  return [person, ...clusters.map(({ viewer }) => viewer)];
}
