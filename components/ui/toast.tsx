'use client';

import { lazy, Suspense, useSyncExternalStore } from 'react';
import { hasHadToasts, subscribeToasts } from '@/components/ui/toast-queue';

/** Without a connection it does not come: the header then says that there is none. */
const ToastViewport = lazy(async () => ({
  default: await loadToasts().then(
    (part) => part.ToastViewport,
    () => NoToasts,
  ),
}));
const NoToasts = () => null;

export function loadToasts() {
  return import('@/components/ui/toast-viewport');
}

/** The place of the toasts; once on the page. Loads their viewport with the first one. */
export function Toasts() {
  const isUsed = useSyncExternalStore(subscribeToasts, hasHadToasts, () => false);
  if (!isUsed) return null;
  return (
    <Suspense fallback={null}>
      <ToastViewport />
    </Suspense>
  );
}
