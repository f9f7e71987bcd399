'use client';

import { useCallback, useEffect } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { noteSignedIn, setSigningIn, useSession } from '@/components/shell/session';
import { lazily } from '@/components/ui/lazily';
import { type SignInRequest } from '@/lib/api/session';

const SignIn = lazily(async () => (await import('@/components/shell/sign-in')).SignIn);

/**
 * Covers the page with the sign-in while an answer says that this browser is not signed in. The page stays mounted, so
 * that nothing typed is lost. The key in the URL that `npm start` prints signs in by itself.
 */
export function SignInGate() {
  const { isSignedOut, isSigningIn } = useSession();
  const client = useQueryClient();

  const signIn = useCallback(
    async (body: SignInRequest) => {
      await apiFetch('POST /api/session', { body });
      noteSignedIn();
      await client.resetQueries();
    },
    [client],
  );

  const { mutate: exchange, isPending, error } = useMutation({ mutationFn: signIn });
  useEffect(() => {
    const key = takeKeyOfAddress();
    if (key !== undefined) exchange({ key });
  }, [exchange]);

  if (isPending || !(isSignedOut || isSigningIn)) return null;
  return <SignIn signIn={signIn} error={error} onClose={isSignedOut ? null : () => setSigningIn(false)} />;
}

/** A fragment is not sent to the server, so no log has the key; it is removed from the history of the browser, too. */
function takeKeyOfAddress(): string | undefined {
  const key = new URLSearchParams(location.hash.slice(1)).get('key');
  if (key === null) return undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  return key;
}
