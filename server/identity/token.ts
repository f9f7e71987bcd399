import 'server-only';
import { decodeJwt } from 'jose';
import { z } from 'zod';
import { AppError } from '@/lib/errors';
import { sentence } from '@/lib/sentence';
import { hashOf } from '@/server/identity/hash';
import {
  assertFromOwnPage,
  bearerOf,
  type IdentityProvider,
  isReadRequest,
  signedOut,
} from '@/server/identity/identity';
import type { SessionCookies } from '@/server/identity/session-cookies';
import type { Sessions } from '@/server/identity/sessions';
import type { VerifiedTokens } from '@/server/identity/verified-tokens';
import { BearerToken } from '@/server/shared/bearer-token';
import type { Carrier } from '@/server/shared/connections';
import type { Person, Viewer } from '@/server/shared/viewer';

export interface TokenIdentityOptions {
  tokens: VerifiedTokens;
  sessions: Sessions;
  cookies: SessionCookies;
  /** How long a browser stays signed in, in milliseconds; a token that expires ends the session earlier. */
  lifeMs: number;
  now: () => number;
  readOnly: Person['readOnly'];
}

/** By the name of the cluster. */
const secretSchema = z.object({
  tokens: z.record(z.string(), z.object({ token: z.string(), user: z.string() })),
});
type Tokens = z.output<typeof secretSchema>['tokens'];

/**
 * People who paste a bearer token of a cluster: everything is read and done with it, and the API server alone knows what
 * it allows.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#self-subject-review
 */
export function tokenIdentity(options: TokenIdentityOptions): IdentityProvider {
  const { tokens: verified, sessions, cookies, readOnly, lifeMs, now } = options;

  async function personOfBearer(request: Request, text: string): Promise<Person> {
    const found = await verified.verify(request, clusterOf(request), text);
    return personWith({ [found.cluster]: { token: text, user: found.user } }, readOnly);
  }

  async function tokensOf(
    request: Request,
  ): Promise<{ name: string; tokens: Tokens; canAct: boolean } | undefined> {
    const cookie = cookies.read(request);
    const found = cookie && (await sessions.find(request, cookie));
    const secret = secretSchema.safeParse(found?.secret).data;
    return found && secret && { name: found.name, tokens: secret.tokens, canAct: found.canAct };
  }

  return {
    mode: 'token',
    canSignOut: true,
    async personOf(request) {
      const bearer = bearerOf(request);
      if (bearer !== undefined) return personOfBearer(request, bearer);
      const found = await tokensOf(request);
      if (found === undefined)
        throw signedOut(
          'Sign in with a bearer token of the cluster. Scripts send it in an Authorization header.',
        );
      assertFromOwnPage(request, found);
      return { ...personWith(found.tokens, readOnly), session: found.name };
    },
    isUnverified(request) {
      const bearer = bearerOf(request);
      if (bearer !== undefined) return !verified.knows(clusterOf(request), bearer);
      // Without a cookie, whatever does not read is a sign-in.
      if (!cookies.has(request)) return !isReadRequest(request);
      const cookie = cookies.read(request);
      return cookie === undefined || !sessions.knows(cookie);
    },
    async signIn(request, credential) {
      if (!('token' in credential))
        throw new AppError('bad_request', sentence`token: this Shiplog takes a bearer token, not a key.`, {
          field: 'token',
        });
      const { cluster, user } = await verified.verify(request, credential.cluster, credential.token);
      const session = await tokensOf(request);
      // With the cookie to look alone the tokens of the session stay where they are.
      const earlier = session?.canAct === true ? session.tokens : {};
      const tokens = { ...earlier, [cluster]: { token: credential.token, user } };
      const person = personWith(tokens, readOnly);
      const ends = Object.values(tokens).map(({ token }) => expiryOf(token) ?? Infinity);
      const endsMs = Math.min(now() + lifeMs, ...ends);
      // Another value with each sign-in, so that one from before it is worth nothing.
      const values = await sessions.begin({ person: person.id, document: {}, secret: { tokens }, endsMs });
      const cookie = cookies.read(request);
      if (cookie !== undefined) await sessions.end(cookie.id);
      return { person, cookies: cookies.lines(values, Math.floor((endsMs - now()) / 1_000)) };
    },
    async signOut(request) {
      const found = await tokensOf(request);
      const cookie = cookies.read(request);
      // One that was never begun takes no place among those that were.
      if (cookie !== undefined && found !== undefined) await sessions.end(cookie.id);
      const person = found ? { ...personWith(found.tokens, readOnly), session: found.name } : null;
      return { person, cookies: cookies.deletion() };
    },
  };
}

/** That a script names. */
function clusterOf({ url }: Carrier): string | undefined {
  return new URL(url).searchParams.get('cluster') ?? undefined;
}

function personWith(tokens: Tokens, readOnly: Person['readOnly']): Person {
  const [first] = Object.values(tokens);
  const facts = { isProcess: false, ...(readOnly && { readOnly }) };
  return {
    ...facts,
    ...namesOf(first?.user ?? ''),
    accessKey: hashOf(JSON.stringify(tokens)),
    isShared: false,
    viewerIn: ({ name }): Viewer => {
      const own = tokens[name];
      if (own === undefined) return { ...facts, ...namesOf(first?.user ?? ''), credential: { kind: 'none' } };
      const { token, user } = own;
      return {
        ...facts,
        ...namesOf(user),
        accessKey: hashOf(token),
        credential: { kind: 'token', token: new BearerToken(token) },
      };
    },
  };
}

/** As the process is named where it has the same user. */
function namesOf(user: string): Pick<Viewer, 'id' | 'name'> {
  return { id: `user:${user}`, name: user };
}

/** Of a token that says when it ends, in milliseconds since the epoch; its signature is for the API server to check. */
function expiryOf(token: string): number | undefined {
  try {
    const exp = z.number().safeParse(decodeJwt(token).exp).data;
    return exp === undefined ? undefined : exp * 1_000;
  } catch {
    return undefined;
  }
}
