'use client';

import { useSyncExternalStore } from 'react';
import { AppError } from '@/lib/errors';
import { createListeners } from '@/components/ui/listeners';

interface Session {
  /** An answer said that this browser is not signed in. */
  isSignedOut: boolean;
  /** The viewer signs in to another cluster besides. */
  isSigningIn: boolean;
  /** How often it has signed in since the page loaded; whatever belongs to a session starts anew with each. */
  signIns: number;
}

const first: Session = { isSignedOut: false, isSigningIn: false, signIns: 0 };
let current = first;
const { subscribe, notify } = createListeners();

/** For every failed request. */
export function noteFailure(error: unknown): void {
  if (error instanceof AppError && error.code === 'signed_out' && !current.isSignedOut)
    update({ ...current, isSignedOut: true });
}

export function noteSignedIn(): void {
  update({ isSignedOut: false, isSigningIn: false, signIns: current.signIns + 1 });
}

export function setSigningIn(isSigningIn: boolean): void {
  update({ ...current, isSigningIn });
}

export function useSession(): Session {
  return useSyncExternalStore(
    subscribe,
    () => current,
    () => first,
  );
}

function update(next: Session): void {
  current = next;
  notify();
}
