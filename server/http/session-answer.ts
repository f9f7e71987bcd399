import 'server-only';
import type { sessionSchema } from '@/lib/api/session';
import type { Answer } from '@/lib/api/common';
import { AppError } from '@/lib/errors';
import type { IdentityProvider } from '@/server/identity/identity';
import type { Runtime } from '@/server/runtime/runtime';
import type { Person } from '@/server/shared/viewer';

type Sender = { person: Person; problem: null } | { person: null; problem: string | null };

/** What a browser needs to know of the person, and of how to sign in. */
export function sessionOf(
  { edge: { identity }, clusters, shared }: Pick<Runtime, 'edge' | 'clusters' | 'shared'>,
  { person, problem }: Sender,
  signOutUrl: string | null = null,
): Answer<typeof sessionSchema> {
  const { mode, canSignOut, provider } = identity;
  const { mask } = shared.keys;
  return {
    mode,
    namesCluster: mode === 'token' && clusters.isSeveral,
    canSignOut,
    provider: provider?.host ?? null,
    signOutUrl,
    viewer: person && { id: person.id, name: mask.text(person.name) },
    problem: problem === null ? null : mask.text(problem),
  };
}

/** The person who sends the request, or why it carries no valid identity. */
export async function senderOf(identity: IdentityProvider, request: Request): Promise<Sender> {
  try {
    return { person: await identity.personOf(request), problem: null };
  } catch (error) {
    if (error instanceof AppError && error.code === 'signed_out')
      return { person: null, problem: error.message };
    throw error;
  }
}

/** Each cookie has a line of its own. */
export function withCookies(response: Response, cookies: readonly string[]): Response {
  for (const cookie of cookies) response.headers.append('Set-Cookie', cookie);
  return response;
}
