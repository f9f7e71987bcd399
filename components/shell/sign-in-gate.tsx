'use client';

import { useSyncExternalStore } from 'react';
import { useSession } from '@/components/shell/session';
import { lazily } from '@/components/ui/lazily';

const SignInFlow = lazily(async () => (await import('@/components/shell/sign-in-flow')).SignInFlow);

/**
 * Covers the page with the sign-in while an answer says that this browser is not signed in. The page stays mounted, so
 * that nothing typed is lost.
 */
export function SignInGate() {
  const { isSignedOut, isSigningIn } = useSession();
  const hasKey = useSyncExternalStore(
    () => () => {},
    () => location.hash.includes('key='),
    () => false,
  );
  return isSignedOut || isSigningIn || hasKey ? <SignInFlow /> : null;
}
