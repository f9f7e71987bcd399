import 'server-only';
import { type AuthMode, type SignInRequest } from '@/lib/api/session';
import { AppError } from '@/lib/errors';
import { type Viewer } from '@/server/shared/viewer';

/** How Shiplog learns who sends a request. */
export interface Identity {
  readonly mode: AuthMode;
  /** The person who sends the request. Throws AppError `signed_out`. */
  readonly viewerOf: (request: Request) => Viewer | Promise<Viewer>;
  /** Throws AppError `signed_out` where the credential is not accepted. */
  readonly signIn: (request: Request, credential: SignInRequest) => SignedIn | Promise<SignedIn>;
  /** The Set-Cookie lines that end the session in the browser. */
  readonly signOut: (request: Request) => readonly string[] | Promise<readonly string[]>;
}

interface SignedIn {
  readonly viewer: Viewer;
  /** Set-Cookie lines. */
  readonly cookies: readonly string[];
}

export function signedOut(message: string): AppError {
  return new AppError('signed_out', message);
}

/**
 * The credential of an `Authorization: Bearer` header; undefined where there is none. A blank one is refused, since an API
 * server takes a request without a token for `system:anonymous`.
 */
export function bearerOf(request: Request): string | undefined {
  const header = request.headers.get('authorization');
  if (header === null) return undefined;
  const [scheme = '', ...rest] = header.trim().split(/\s+/);
  const [token] = rest;
  if (scheme.toLowerCase() === 'bearer' && token !== undefined && rest.length === 1) return token;
  throw signedOut('The Authorization header must be "Bearer", a space, and the credential.');
}
