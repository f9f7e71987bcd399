import 'server-only';
import { decodeJwt } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { AppError } from '@/lib/errors';
import { problemOfText } from '@/server/cluster/impersonation';
import { sentence } from '@/lib/sentence';
import { hashOf } from '@/server/identity/hash';
import { assertFromOwnPage, bearerOf, type Identity, signedOut } from '@/server/identity/identity';
import { type SessionCookies } from '@/server/identity/session-cookies';
import { type Sessions } from '@/server/identity/sessions';
import { BearerToken } from '@/server/shared/bearer-token';
import { type Person, type Viewer } from '@/server/shared/viewer';

/** What the API server of a cluster says of a token. */
export interface VerifiedToken {
  /** The name of the cluster. */
  cluster: string;
  user: string;
}

export interface TokenIdentityOptions {
  /**
   * Sends a SelfSubjectReview as the token itself, to the named cluster or, without a name, to the only one. Throws
   * AppError: `unauthorized` where it is not accepted, `bad_request` where no name tells the cluster.
   */
  verify: (cluster: string | undefined, token: BearerToken) => Promise<VerifiedToken>;
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

/** Scripts send the token with each request; asking the API server each time would double its work. */
const VERIFIED_MS = 60_000;
const VERIFIED_MAX = 1_000;

/**
 * People who paste a bearer token of a cluster: everything is read and done with it, and the API server alone knows what
 * it allows.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#self-subject-review
 */
export function tokenIdentity(options: TokenIdentityOptions): Identity {
  const { verify, sessions, cookies, readOnly, lifeMs, now } = options;
  const verified = new LRUCache<string, Promise<VerifiedToken>>({ max: VERIFIED_MAX, ttl: VERIFIED_MS });

  async function check(cluster: string | undefined, text: string): Promise<VerifiedToken> {
    try {
      const found = await verify(cluster, new BearerToken(text));
      const problem = problemOfText('user', found.user);
      if (problem !== undefined) throw signedOut(`Sign-in was refused: ${problem}.`);
      return found;
    } catch (error) {
      throw error instanceof AppError && error.code === 'unauthorized' ? notAccepted() : error;
    }
  }

  async function personOfBearer(request: Request, text: string): Promise<Person> {
    const cluster = new URL(request.url).searchParams.get('cluster') ?? undefined;
    const key = `${cluster ?? ''} ${hashOf(text)}`;
    let pending = verified.get(key);
    if (pending === undefined) {
      pending = check(cluster, text);
      verified.set(key, pending);
      // A refusal may be over in a moment, and a token is not guessed.
      pending.catch(() => verified.delete(key));
    }
    const found = await pending;
    return personWith({ [found.cluster]: { token: text, user: found.user } }, readOnly);
  }

  async function tokensOf(
    request: Request,
  ): Promise<{ name: string; tokens: Tokens; canAct: boolean } | undefined> {
    const { id, act } = cookies.read(request);
    const found = id === undefined ? undefined : await sessions.find(id, act);
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
    async signIn(request, credential) {
      if (!('token' in credential))
        throw new AppError('bad_request', sentence`token: this Shiplog takes a bearer token, not a key.`, {
          field: 'token',
        });
      const { cluster, user } = await check(credential.cluster, credential.token);
      const session = await tokensOf(request);
      // With the cookie to look alone the tokens of the session stay where they are.
      const earlier = session?.canAct === true ? session.tokens : {};
      const tokens = { ...earlier, [cluster]: { token: credential.token, user } };
      const person = personWith(tokens, readOnly);
      const ends = Object.values(tokens).map(({ token }) => expiryOf(token) ?? Infinity);
      const endsMs = Math.min(now() + lifeMs, ...ends);
      // Another value with each sign-in, so that one from before it is worth nothing.
      const values = await sessions.begin({ person: person.id, document: {}, secret: { tokens }, endsMs });
      const { id } = cookies.read(request);
      if (id !== undefined) await sessions.end(id);
      return { person, cookies: cookies.lines(values, Math.floor((endsMs - now()) / 1_000)) };
    },
    async signOut(request) {
      const found = await tokensOf(request);
      const { id } = cookies.read(request);
      if (id !== undefined) await sessions.end(id);
      const person = found ? { ...personWith(found.tokens, readOnly), session: found.name } : null;
      return { person, cookies: cookies.deletion() };
    },
  };
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
    const { exp } = decodeJwt(token);
    return exp === undefined ? undefined : exp * 1_000;
  } catch {
    return undefined;
  }
}

function notAccepted(): AppError {
  return signedOut(
    'The cluster does not accept this token. It may have expired, or be a token of another cluster.',
  );
}
