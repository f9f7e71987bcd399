import 'server-only';
import { type sessionSchema } from '@/lib/api/session';
import { type Answer } from '@/lib/api/common';
import { AppError } from '@/lib/errors';
import { type Identity } from '@/server/identity/identity';
import { type SharedContext } from '@/server/reads/context';
import { type Viewer } from '@/server/shared/viewer';

/** What a browser needs to know of the person, and of how to sign in. */
export function sessionOf(
  { mode }: Pick<Identity, 'mode'>,
  viewer: Viewer | null,
  { keys: { mask } }: Pick<SharedContext, 'keys'>,
): Answer<typeof sessionSchema> {
  return { mode, viewer: viewer && { id: viewer.id, name: mask.text(viewer.name) } };
}

/** The person who sends the request; null where it carries no valid identity. */
export async function viewerIfAny(identity: Identity, request: Request): Promise<Viewer | null> {
  try {
    return await identity.viewerOf(request);
  } catch (error) {
    if (error instanceof AppError && error.code === 'signed_out') return null;
    throw error;
  }
}

/** Each cookie has a line of its own. */
export function withCookies(response: Response, cookies: readonly string[]): Response {
  for (const cookie of cookies) response.headers.append('Set-Cookie', cookie);
  return response;
}
