import 'server-only';
import { AppError } from '@/lib/errors';
import { type Identity } from '@/server/identity/identity';
import { anonymousViewer } from '@/server/shared/viewer';

/** Everyone who can connect, as a viewer who changes nothing. */
export function anonymousIdentity({ logs }: { logs: boolean }): Identity {
  const viewer = anonymousViewer({ logs });
  return {
    mode: 'anonymous',
    viewerOf: () => viewer,
    signIn() {
      throw new AppError('bad_request', 'This Shiplog has no sign-in: SHIPLOG_AUTH is anonymous.');
    },
    signOut: () => [],
  };
}
