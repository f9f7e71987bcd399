import type { IdentityProvider } from '@/server/identity/identity';
import type { Person, Viewer } from '@/server/shared/viewer';

/** Who sends a request is what the test says. */
export function fixedIdentity(viewerOf: (request: Request) => Viewer): IdentityProvider {
  const personOf = (request: Request) => personAs(viewerOf(request));
  return {
    mode: 'local',
    canSignOut: false,
    personOf,
    signIn: (request) => ({ person: personOf(request), cookies: [] }),
    signOut: () => ({ person: null, cookies: [] }),
  };
}

/** The same viewer in every cluster. */
export function personAs({ credential, ...facts }: Viewer): Person {
  return { ...facts, isShared: facts.isProcess, viewerIn: () => ({ ...facts, credential }) };
}
