import 'server-only';
import { AppError } from '@/lib/errors';
import type { IdentityProvider } from '@/server/identity/identity';
import { type Person, processCredential } from '@/server/shared/viewer';

/** Everyone who can connect, as a person who changes nothing. */
export function anonymousIdentity({ logs }: { logs: boolean }): IdentityProvider {
  const facts = {
    ...{ id: 'anonymous', name: 'anonymous', isProcess: false },
    ...{ readOnly: 'anonymous' as const, hidesLogs: !logs },
  };
  const person: Person = {
    ...facts,
    isShared: true,
    viewerIn: () => ({ ...facts, credential: processCredential }),
  };
  return {
    mode: 'anonymous',
    canSignOut: false,
    personOf: () => person,
    signIn() {
      throw new AppError('bad_request', 'This Shiplog has no sign-in: SHIPLOG_AUTH is anonymous.');
    },
    signOut: () => ({ person: null, cookies: [] }),
  };
}
