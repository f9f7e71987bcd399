import 'server-only';
import { LRUCache } from 'lru-cache';
import { type PersonRepository } from '@/server/archive/people';
import { type Identity } from '@/server/identity/identity';
import { type Mask } from '@/server/shared/mask';
import { type PersonFacts } from '@/server/shared/viewer';

/** A suggestion needs the day, not the minute. */
const HOUR_MS = 3_600_000;
const PEOPLE_MAX = 10_000;

interface SeenPeopleOptions {
  /** Null while the archive is not open. */
  repository: () => Pick<PersonRepository, 'saw'> | null;
  mask: Pick<Mask, 'text'>;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/**
 * The same identity, which notes each person it finds: at most once an hour, and without a request that waits for it or
 * fails with it.
 */
export function withSeenPeople(identity: Identity, { repository, mask, now }: SeenPeopleOptions): Identity {
  const notedMs = new LRUCache<string, number>({ max: PEOPLE_MAX });

  function note({ id, name, readOnly }: PersonFacts): void {
    const people = repository();
    const nowMs = now();
    if (people === null || readOnly === 'anonymous' || nowMs - (notedMs.get(id) ?? -HOUR_MS) < HOUR_MS)
      return;
    notedMs.set(id, nowMs);
    // The next hour tries again: an archive that is away must not be asked with each request.
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
