'use client';

import { lazy, Suspense, useSyncExternalStore } from 'react';

export interface ToastMessage {
  title: string;
  body?: string;
  tone?: 'info' | 'good' | 'bad';
  action?: { label: string; onSelect: () => void };
  /** Stays until closed when 0. */
  timeoutMs?: number;
}

let queue: readonly ToastMessage[] = [];
let used = false;
const listeners = new Set<() => void>();

/** Says something that came of what the viewer did, for a few seconds. Never the only place where it can be read. */
export function showToast(message: ToastMessage): void {
  used = true;
  queue = [...queue, message];
  for (const listener of [...listeners]) listener();
}

/** What waits to be shown; whoever takes it shows it. */
export function takeToasts(): readonly ToastMessage[] {
  const taken = queue;
  queue = [];
  return taken;
}

export function subscribeToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const ToastViewport = lazy(async () => ({
  default: (await import('@/components/ui/toast-viewport')).ToastViewport,
}));

/** Where toasts appear; once on the page. Loads what shows them with the first one. */
export function Toasts() {
  const wanted = useSyncExternalStore(
    subscribeToasts,
    () => used,
    () => false,
  );
  if (!wanted) return null;
  return (
    <Suspense fallback={null}>
      <ToastViewport />
    </Suspense>
  );
}
