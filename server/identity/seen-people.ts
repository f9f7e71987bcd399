import 'server-only';
import { LRUCache } from 'lru-cache';
import type { PersonRepository } from '@/server/archive/people';
import type { IdentityProvider } from '@/server/identity/identity';
import type { Mask } from '@/server/shared/mask';
import { accessKeyOf, type Person, type PersonFacts } from '@/server/shared/viewer';

/** A suggestion needs the day, not the minute. */
const HOUR_MS = 3_600_000;
const PEOPLE_MAX = 10_000;

interface SeenPeopleOptions {
  /** Null while the archive is not open. */
  repository: () => Pick<PersonRepository, 'saw'> | null;
  /** The person as they are known: in each cluster they may have another name. */
  namesOf: (person: Person) => readonly PersonFacts[];
  mask: Pick<Mask, 'text'>;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/**
 * The same identity, which notes each person it finds: at most once an hour, and without a request that waits for it or
 * fails with it.
 */
export function withSeenPeople(
  identity: IdentityProvider,
  { repository, namesOf, mask, now }: SeenPeopleOptions,
): IdentityProvider {
  const notedMs = new LRUCache<string, number>({ max: PEOPLE_MAX });

  function note(person: Person): void {
    const people = repository();
    const nowMs = now();
    const key = accessKeyOf(person);
    if (people === null || person.readOnly === 'anonymous') return;
    if (nowMs - (notedMs.get(key) ?? -HOUR_MS) < HOUR_MS) return;
    const names = namesOf(person);
    // Soon the API server says who it is.
    if (names.every(({ isGuessed }) => isGuessed === true)) return;
    // The next hour tries again: an archive that is away must not be asked with each request.
    notedMs.set(key, nowMs);
    const known = names.filter(({ isGuessed }) => isGuessed !== true);
    for (const [id, name] of new Map(known.map((each) => [each.id, each.name])))
      people.saw({ id, name: mask.text(name) }, nowMs).catch(() => undefined);
  }

  return {
    ...identity,
    async personOf(request) {
      const person = await identity.personOf(request);
      note(person);
      return person;
    },
  };
}
