import { type Identity } from '@/server/identity/identity';

/** Who sends a request is what the test says. */
export function fixedIdentity(viewerOf: Identity['viewerOf']): Identity {
  return {
    mode: 'local',
    viewerOf,
    signIn: async (request) => ({ viewer: await viewerOf(request), cookies: [] }),
    signOut: () => [],
  };
}
