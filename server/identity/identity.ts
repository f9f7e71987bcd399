import 'server-only';
import { type AuthMode, type SignInRequest } from '@/lib/api/session';
import { AppError } from '@/lib/errors';
import { type Person } from '@/server/shared/viewer';

/** How Shiplog learns who sends a request. */
export interface Identity {
  readonly mode: AuthMode;
  /** False where everyone who can connect is signed in. */
  readonly canSignOut: boolean;
  /** The person who sends the request. Throws AppError `signed_out`. */
  readonly personOf: (request: Request) => Person | Promise<Person>;
  /** Throws AppError `signed_out` where the credential is not accepted. */
  readonly signIn: (request: Request, credential: SignInRequest) => SignedIn | Promise<SignedIn>;
  /** The Set-Cookie lines that end the session in the browser. */
  readonly signOut: (request: Request) => readonly string[] | Promise<readonly string[]>;
}

interface SignedIn {
  readonly person: Person;
  /** Set-Cookie lines. */
  readonly cookies: readonly string[];
}

/** Whether a request changes nothing, by its method. */
export function isReadRequest({ method }: Request): boolean {
  return ['GET', 'HEAD', 'OPTIONS'].includes(method);
}

export function signedOut(message: string, details: Record<string, unknown> = {}): AppError {
  return new AppError('signed_out', message, details);
}

/**
 * The credential of an `Authorization: Bearer` header; undefined where there is none, as with a proxy's own Basic
 * authentication. A blank one is refused: an API server takes a request without a token for `system:anonymous`.
 */
export function bearerOf(request: Request): string | undefined {
  const header = request.headers.get('authorization') ?? '';
  const [scheme = '', ...rest] = header.trim().split(/\s+/);
  if (scheme.toLowerCase() !== 'bearer') return undefined;
  const [token] = rest;
  if (token !== undefined && rest.length === 1) return token;
  throw signedOut('The Authorization header must be "Bearer", a space, and the credential.');
}
