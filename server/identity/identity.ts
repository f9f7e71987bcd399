import 'server-only';
import type { AuthMode, SignInRequest } from '@/lib/api/session';
import { AppError } from '@/lib/errors';
import type { Carrier } from '@/server/shared/connections';
import type { Person } from '@/server/shared/viewer';

/** How Shiplog learns who sends a request. */
export interface IdentityProvider {
  readonly mode: AuthMode;
  /** False where everyone who can connect is signed in. */
  readonly canSignOut: boolean;
  /** The person who sends the request. Throws AppError `signed_out`. */
  readonly personOf: (request: Request) => Person | Promise<Person>;
  /** Throws AppError `signed_out` where the credential is not accepted. */
  readonly signIn: (request: Request, credential: SignInRequest) => SignedIn | Promise<SignedIn>;
  readonly signOut: (request: Request) => SignedOut | Promise<SignedOut>;
  /**
   * Whether the request presents a credential that is not known to be good, and whose check takes the time of others.
   * Absent where no check does.
   */
  readonly isUnverified?: (request: Carrier) => boolean;
  /** Absent where people sign in without an identity provider. */
  readonly provider?: SignInProvider;
}

/** The identity provider to which browsers go to sign in. */
export interface SignInProvider {
  /** As people know it. */
  readonly host: string;
  /** Where the browser goes, to return to the path in `?return=`. Throws AppError `identity_unavailable`. */
  readonly begin: (request: Request) => Promise<{ url: string; cookies: readonly string[] }>;
  /**
   * Takes the answer that the browser brings, and tells the path that it returns to. Throws AppError `signed_out` where
   * the answer is not accepted.
   */
  readonly complete: (request: Request) => Promise<SignedIn & { path: string }>;
  /** Ends the sessions that a logout token of the provider names. Throws AppError `bad_request`. */
  readonly endSessions: (logoutToken: string) => Promise<void>;
}

interface SignedOut {
  /** Who was signed in; null where that was no one. */
  readonly person: Person | null;
  /** The Set-Cookie lines that end the session in the browser. */
  readonly cookies: readonly string[];
  /** Where the browser goes then, to sign out at the identity provider; absent: nowhere. */
  readonly url?: string;
}

interface SignedIn {
  readonly person: Person;
  /** Set-Cookie lines. */
  readonly cookies: readonly string[];
}

/** Whether a request changes nothing, by its method. */
export function isReadRequest({ method }: Pick<Carrier, 'method'>): boolean {
  return ['GET', 'HEAD', 'OPTIONS'].includes(method);
}

/** Throws AppError `forbidden` where a page of another site may have made the browser send a change. */
export function assertFromOwnPage(request: Request, { canAct }: { canAct: boolean }): void {
  if (canAct || isReadRequest(request)) return;
  throw new AppError(
    'forbidden',
    'Nothing was changed: the browser sent this request without the cookie for changes. Repeat it on a page of Shiplog, or sign in again.',
  );
}

export function signedOut(message: string, details: Record<string, unknown> = {}): AppError {
  return new AppError('signed_out', message, details);
}

/**
 * The credential of an `Authorization: Bearer` header; undefined where there is none, as with a proxy's own Basic
 * authentication. A blank one is refused: an API server takes a request without a token for `system:anonymous`.
 */
export function bearerOf(request: Carrier): string | undefined {
  const header = request.headers.get('authorization') ?? '';
  const [scheme = '', ...rest] = header.trim().split(/\s+/);
  if (scheme.toLowerCase() !== 'bearer') return undefined;
  const [token] = rest;
  if (token !== undefined && rest.length === 1) return token;
  throw signedOut('The Authorization header must be "Bearer", a space, and the credential.');
}
