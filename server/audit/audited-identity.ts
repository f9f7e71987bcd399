import 'server-only';
import { AppError, messageOf } from '@/lib/errors';
import type { Audit } from '@/server/audit/audit';
import type { SignInEntry } from '@/lib/api/activity-event';
import type { IdentityProvider } from '@/server/identity/identity';
import type { Logger } from '@/server/shared/log';
import type { Mask } from '@/server/shared/mask';
import { senderFacts } from '@/server/shared/request-facts';
import type { Person } from '@/server/shared/viewer';

interface AuditedOptions {
  audit: Pick<Audit, 'note'>;
  mask: Mask;
  log: Logger;
  /** Milliseconds since the epoch. */
  now: () => number;
}

const MINUTE_MS = 60_000;
/** Anyone can be refused: they must not fill the disk. */
const REFUSALS_MAX = 10;

/** The same identity, with a line in the audit file for each sign-in, sign-out, and refusal; of refusals ten a minute. */
export function audited(
  identity: IdentityProvider,
  { audit, mask, log, now }: AuditedOptions,
): IdentityProvider {
  let minute = { startMs: -Infinity, refusals: 0 };

  function note(event: SignInEntry['event'], request: Request, person: Person | null, reason: string | null) {
    try {
      audit.note({
        ...{ at: new Date(now()).toISOString(), event, reason: reason === null ? null : mask.text(reason) },
        by: person && { id: person.id, name: mask.text(person.name) },
        sender: senderFacts(request, person ?? {}),
      });
    } catch (error) {
      // A full disk must not keep people from signing in: every action has a line before it is done, or is not done.
      log.error('a sign-in has no line in the audit file', { event, error });
    }
  }

  async function noting<R extends { person: Person }>(
    request: Request,
    work: () => R | Promise<R>,
  ): Promise<R> {
    try {
      const done = await work();
      note('signIn', request, done.person, null);
      return done;
    } catch (error) {
      if (error instanceof AppError && error.code === 'signed_out' && isCounted())
        note('signInRefused', request, null, messageOf(error));
      throw error;
    }
  }

  function isCounted(): boolean {
    if (now() - minute.startMs >= MINUTE_MS) minute = { startMs: now(), refusals: 0 };
    minute.refusals += 1;
    return minute.refusals <= REFUSALS_MAX;
  }

  const { provider } = identity;
  return {
    ...identity,
    signIn: (request, credential) => noting(request, () => identity.signIn(request, credential)),
    async signOut(request) {
      const done = await identity.signOut(request);
      if (done.person !== null) note('signOut', request, done.person, null);
      return done;
    },
    ...(provider && {
      provider: {
        ...provider,
        complete: (request: Request) => noting(request, () => provider.complete(request)),
      },
    }),
  };
}
