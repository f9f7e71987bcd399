'use client';

import { useCallback, useEffect, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { noteSignedIn, useSession } from '@/components/session/session';
import { lazily } from '@/components/ui/lazily';
import { type SignInRequest } from '@/lib/api/session';

const SignIn = lazily(async () => (await import('@/components/session/sign-in')).SignIn);

/**
 * Covers the page with the sign-in while an answer says that this browser is not signed in. The page stays mounted, so
 * that nothing typed is lost. The key in the URL that `npm start` prints signs in by itself.
 */
export function SignInGate() {
  const { isSignedOut } = useSession();
  const client = useQueryClient();
  const [keyError, setKeyError] = useState<unknown>();
  const [isExchanging, setExchanging] = useState(false);

  const signIn = useCallback(
    async (body: SignInRequest) => {
      await apiFetch('POST /api/session', { body });
      noteSignedIn();
      await client.resetQueries();
    },
    [client],
  );

  useEffect(() => {
    const key = takeKeyOfAddress();
    if (key === undefined) return;
    setExchanging(true);
    signIn({ key })
      .catch(setKeyError)
      .finally(() => setExchanging(false));
  }, [signIn]);

  return isSignedOut && !isExchanging ? <SignIn signIn={signIn} error={keyError} /> : null;
}

/** A fragment is not sent to the server, so no log has the key; it is removed from the history of the browser, too. */
function takeKeyOfAddress(): string | undefined {
  const key = new URLSearchParams(location.hash.slice(1)).get('key');
  if (key === null) return undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  return key;
}
