import 'server-only';
import { LRUCache } from 'lru-cache';
import { AppError } from '@/lib/errors';
import { sentence } from '@/lib/sentence';
import { personOfClaims } from '@/server/identity/claims';
import { assertFromOwnPage, type IdentityProvider, signedOut } from '@/server/identity/identity';
import { type OidcSession, OidcSessions, type OidcSessionsOptions } from '@/server/identity/oidc-sessions';
import { LOGOUT_TOKEN_LIFE_MS } from '@/server/identity/logout-token';
import type { Grant } from '@/server/identity/open-id-provider';
import type { SessionCookies } from '@/server/identity/session-cookies';
import { returnPathOf, type SignInAttempts } from '@/server/identity/sign-in-attempts';
import type { UnverifiedChecks } from '@/server/identity/unverified-checks';
import type { Person } from '@/server/shared/viewer';

export interface OidcOptions extends OidcSessionsOptions {
  attempts: SignInAttempts;
  /** For the codes that browsers bring from the provider. */
  checks: UnverifiedChecks;
  cookies: SessionCookies;
  /** How long a browser stays signed in at most, in milliseconds. */
  totalMs: number;
  readOnly: Person['readOnly'];
}

/** Without a refresh token no one is checked again; a working day. */
const UNCHECKED_MS = 8 * 3_600_000;
/** Of a company that signs all its people out at once. */
const LOGOUTS_MAX = 20_000;

/**
 * People who sign in at an OpenID Connect provider, with the code flow and PKCE. Each browser has a session in the
 * archive, with what the provider gave.
 * https://openid.net/specs/openid-connect-core-1_0.html
 */
export function oidcIdentity(options: OidcOptions): IdentityProvider {
  const { provider, sessions, attempts, checks, cookies, clock, totalMs, readOnly, log } = options;
  const live = new OidcSessions(options);
  /** The logout tokens that have ended their sessions, until they would have expired. */
  const spent = new LRUCache<string, true>({ max: LOGOUTS_MAX, ttl: LOGOUT_TOKEN_LIFE_MS });

  async function begin(grant: Grant): Promise<{ person: Person; cookies: readonly string[] }> {
    const { claims, sid, refreshToken } = grant;
    const lifeMs = refreshToken === null ? Math.min(UNCHECKED_MS, totalMs) : totalMs;
    const person = personOfClaims(claims, readOnly);
    const values = await sessions.begin({
      ...{ person: person.id, document: { signedInMs: grant.issuedMs }, secret: grant },
      endsMs: clock.now() + lifeMs,
      login: { issuer: claims.issuer, subject: claims.subject, sid },
    });
    log.info('a person has signed in', { person: claims.user });
    return { person, cookies: cookies.lines(values, Math.floor(lifeMs / 1_000)) };
  }

  function personOfSession({ grant, name }: OidcSession): Person {
    return { ...personOfClaims(grant.claims, readOnly, live.tokenOf(grant)), session: name };
  }

  return {
    mode: 'oidc',
    canSignOut: true,
    async personOf(request) {
      const cookie = cookies.read(request);
      const found = cookie && (await live.find(request, cookie));
      if (found === undefined) throw signedOut(`Sign in with ${provider.host}.`);
      assertFromOwnPage(request, found);
      return personOfSession(found);
    },
    isUnverified(request) {
      if (new URL(request.url).searchParams.has('code')) return true;
      const cookie = cookies.read(request);
      return cookies.has(request) && (cookie === undefined || !sessions.knows(cookie));
    },
    signIn() {
      throw new AppError('bad_request', `Sign in at /sign-in, with ${provider.host}: SHIPLOG_AUTH is oidc.`);
    },
    async signOut(request) {
      const cookie = cookies.read(request);
      const found = cookie && (await live.end(request, cookie));
      const refreshToken = found?.grant.refreshToken;
      // No one waits for it: the session is over, and without its row no one has the token.
      if (refreshToken)
        void provider.revoke(refreshToken).catch((error: unknown) => {
          log.warn('a refresh token could not be revoked', { error });
        });
      const url = found && (await provider.signOutUrl(found.grant.idToken).catch(() => undefined));
      const person = found ? personOfSession(found) : null;
      return { person, cookies: cookies.deletion(), ...(url !== undefined && { url }) };
    },
    provider: {
      host: provider.host,
      async begin(request) {
        const path = returnPathOf(new URL(request.url).searchParams.get('return'));
        const { attempt, cookies: lines } = attempts.begin(request, path, clock.now());
        return { url: await provider.signInUrl(attempt), cookies: lines };
      },
      async complete(request) {
        const { search, searchParams } = new URL(request.url);
        const taken = attempts.take(request, searchParams.get('state') ?? '', clock.now());
        if (taken === undefined)
          throw signedOut(
            'This browser did not begin this sign-in, or began it more than ten minutes ago. Open Shiplog at the URL of SHIPLOG_PUBLIC_URL, and sign in again.',
          );
        const grant = await checks.run({ request, key: `callback ${search}`, isOurs: false }, () =>
          provider.exchange(search, taken.attempt),
        );
        const { person, cookies: lines } = await begin(grant);
        const cookie = cookies.read(request);
        if (cookie !== undefined) await sessions.end(cookie.id);
        return { person, path: taken.path, cookies: [...lines, taken.cookie] };
      },
      async endSessions(logoutToken) {
        const { id, logins } = await provider.loginsOf(logoutToken);
        if (spent.has(id))
          throw new AppError('bad_request', sentence`logout_token: was used before. No session was ended.`);
        await sessions.endLogins(logins);
        // Not earlier: the provider repeats a request that failed.
        spent.set(id, true);
        log.info('the identity provider has ended a sign-in', { subject: logins.subject ?? null });
      },
    },
  };
}
