import 'server-only';
import { z } from 'zod';
import { AppError, messageOf } from '@/lib/errors';
import type { RenewalLease } from '@/server/archive/viewer-sessions';
import { signedOut } from '@/server/identity/identity';
import type { Grant, OpenIdProvider } from '@/server/identity/open-id-provider';
import type { SessionCookie } from '@/server/identity/session-cookies';
import { type FoundSession, RENEWAL_MS, type Sessions } from '@/server/identity/sessions';
import type { Clock } from '@/server/shared/clock';
import type { Carrier } from '@/server/shared/connections';
import type { PersonCredential } from '@/server/shared/cluster-entry';
import type { Logger } from '@/server/shared/log';

export interface OidcSessionsOptions {
  provider: OpenIdProvider;
  sessions: Sessions;
  /** What the clusters want of people. */
  credentials: () => ReadonlySet<PersonCredential>;
  clock: Clock;
  log: Logger;
}

export interface OidcSession extends Pick<FoundSession, 'name' | 'canAct' | 'version' | 'checkedMs'> {
  grant: Grant;
}

const grantSchema: z.ZodType<Grant> = z.object({
  claims: z.object({
    ...{ issuer: z.string(), subject: z.string(), user: z.string() },
    groups: z.array(z.string()),
  }),
  sid: z.string().nullable(),
  idToken: z.string(),
  issuedMs: z.number(),
  expiresMs: z.number(),
  refreshToken: z.string().nullable(),
});

/** A person whose account is disabled, or who has left a group, notices within this. */
const CHECK_MS = 15 * 60_000;
/** An outage of the provider must not stop those who are at work, and a disabled account must not outlive it. */
const OUTAGE_MS = 60 * 60_000;
/** A token is renewed when less than this remains, or than a fifth of its life. */
const TOKEN_REST_MS = 60_000;
/** How long a request waits for the renewal that another one does. */
const WAIT_MS = 5_000;
const POLL_MS = 200;

const neverAborted = new AbortController().signal;

/**
 * The sessions of people whom an OpenID Connect provider has signed in. They are renewed on use, by one request of all
 * processes at a time: a refresh token may work only once. No transaction is open during a request to the provider, and
 * not getting the lease of a renewal never ends a session.
 */
export class OidcSessions {
  readonly #options: OidcSessionsOptions;

  constructor(options: OidcSessionsOptions) {
    this.#options = options;
  }

  /**
   * The session as it counts now; undefined where there is none, or none any more. Throws AppError `signed_out` where
   * the provider no longer confirms the person, and `identity_unavailable` where a renewal takes too long.
   */
  async find(request: Carrier, cookie: SessionCookie): Promise<OidcSession | undefined> {
    const { id } = cookie;
    let found = await this.#read(request, cookie, false);
    for (let waitedMs = 0; found !== undefined && this.#isDue(found); waitedMs += POLL_MS) {
      const lease = await this.#takeLease(id, found.version);
      if (lease !== undefined) return this.#renew(request, cookie, lease);
      found = await this.#read(request, cookie, true);
      if (found !== undefined && this.#isUsable(found)) return found;
      if (waitedMs >= WAIT_MS)
        throw new AppError('identity_unavailable', 'Your sign-in is being renewed. Try again in a moment.', {
          retryAfterMs: RENEWAL_MS,
        });
      await this.#options.clock.sleep(POLL_MS, neverAborted);
    }
    if (found !== undefined && !this.#isUsable(found)) throw this.#unconfirmed();
    return found;
  }

  /** Ends it, whether the person is still confirmed or not; tells what it was. */
  async end(request: Carrier, cookie: SessionCookie): Promise<OidcSession | undefined> {
    const found = await this.#read(request, cookie, true);
    if (found !== undefined) await this.#options.sessions.end(cookie.id);
    return found;
  }

  /** The token for clusters, while it is valid. */
  tokenOf({ idToken, expiresMs }: Grant): string | undefined {
    return this.#options.clock.now() < expiresMs ? idToken : undefined;
  }

  async #read(request: Carrier, cookie: SessionCookie, isFresh: boolean): Promise<OidcSession | undefined> {
    const found = await this.#options.sessions.find(request, cookie, isFresh);
    const grant = grantSchema.safeParse(found?.secret).data;
    return found && grant && { ...found, grant };
  }

  #isDue({ grant, checkedMs }: OidcSession): boolean {
    const { clock, credentials } = this.#options;
    const now = clock.now();
    if (grant.refreshToken === null || now - checkedMs < RENEWAL_MS) return false;
    if (now - checkedMs >= CHECK_MS) return true;
    const lifeMs = grant.expiresMs - grant.issuedMs;
    const restMs = Math.max(lifeMs / 5, Math.min(TOKEN_REST_MS, lifeMs / 2));
    return credentials().has('token') && grant.expiresMs - now < restMs;
  }

  #isUsable({ grant, checkedMs }: OidcSession): boolean {
    const { clock, credentials } = this.#options;
    const now = clock.now();
    const wanted = credentials();
    if (wanted.has('token') && wanted.size === 1) return now < grant.expiresMs;
    return grant.refreshToken === null || now - checkedMs < OUTAGE_MS;
  }

  /** Undefined also while the archive is unavailable. */
  async #takeLease(id: string, version: number): Promise<RenewalLease | undefined> {
    try {
      return await this.#options.sessions.takeRenewal(id, version);
    } catch (error) {
      this.#options.log.warn('a sign-in cannot be renewed now', { error });
      return undefined;
    }
  }

  async #renew(
    request: Carrier,
    cookie: SessionCookie,
    lease: RenewalLease,
  ): Promise<OidcSession | undefined> {
    const { provider, sessions } = this.#options;
    // A renewal that failed halfway has stored another refresh token than the copy in memory has.
    const session = await this.#read(request, cookie, true);
    if (session === undefined) return undefined;
    const { grant } = session;
    const { refreshToken } = grant;
    if (refreshToken === null) return session;
    try {
      const renewed = await provider.renew({ ...grant, refreshToken }, (next) =>
        sessions.keepSecret(lease, { ...grant, refreshToken: next }),
      );
      await sessions.renew(lease, renewed);
      return await this.#read(request, cookie, true);
    } catch (error) {
      return this.#afterFailure(request, cookie, session, lease, error);
    }
  }

  async #afterFailure(
    request: Carrier,
    cookie: SessionCookie,
    session: OidcSession,
    lease: RenewalLease,
    error: unknown,
  ): Promise<OidcSession | undefined> {
    const { sessions, log } = this.#options;
    const isRefused = error instanceof AppError && error.code === 'signed_out';
    const fields = { person: session.grant.claims.user, reason: messageOf(error) };
    if (isRefused) {
      const latest = await this.#read(request, cookie, true);
      if (latest?.version !== session.version) return latest;
      await sessions.end(cookie.id);
      log.info('a session is over: its person is no longer signed in', fields);
      throw error;
    }
    log.warn('a sign-in could not be renewed', { ...fields, error });
    // Until the lease ends no request tries again, and the others go on.
    if (this.#isUsable(session)) return session;
    await sessions.releaseRenewal(lease);
    throw this.#unconfirmed();
  }

  #unconfirmed(): AppError {
    return signedOut(
      `${this.#options.provider.host} has not confirmed your sign-in for too long. Sign in again.`,
    );
  }
}
