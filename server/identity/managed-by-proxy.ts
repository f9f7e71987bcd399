import 'server-only';
import type { AuthMode } from '@/lib/api/session';
import { AppError } from '@/lib/errors';
import type { IdentityProvider } from '@/server/identity/identity';

/** Each request tells who sends it, so there is no session to begin or to end. */
export function managedByProxy(
  mode: Extract<AuthMode, `proxy-${string}`>,
  personOf: IdentityProvider['personOf'],
): IdentityProvider {
  return {
    mode,
    canSignOut: false,
    personOf,
    signIn() {
      throw new AppError('bad_request', `The proxy signs people in: SHIPLOG_AUTH is ${mode}.`);
    },
    signOut: () => ({ person: null, cookies: [] }),
  };
}
