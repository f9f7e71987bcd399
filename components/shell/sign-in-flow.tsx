'use client';

import { useCallback, useEffect } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { noteSignedIn, setSigningIn, useSession } from '@/components/shell/session';
import { SignIn } from '@/components/shell/sign-in';
import type { Session, SignInRequest } from '@/lib/api/session';

/** Signs in with the key in the URL that `npm start` prints, or else requests the credential. */
export function SignInFlow() {
  const { isSignedOut, isSigningIn } = useSession();
  const client = useQueryClient();

  const signIn = useCallback(
    async (body: SignInRequest) => {
      const { viewer } = await apiFetch('POST /api/session', { body });
      if (!becomeViewer(viewer)) return location.reload();
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

/** False where the page has what another viewer has read and typed: it has to be loaded anew. */
function becomeViewer(viewer: Session['viewer']): boolean {
  const { dataset } = document.documentElement;
  const id = encodeURIComponent(viewer?.id ?? '');
  dataset.viewer ??= id;
  return dataset.viewer === id;
}

/** A fragment is not sent to the server, so no log has the key; it is removed from the history of the browser, too. */
function takeKeyOfAddress(): string | undefined {
  const key = new URLSearchParams(location.hash.slice(1)).get('key');
  if (key === null) return undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  return key;
}
