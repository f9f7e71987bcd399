'use client';

import { lazy, Suspense, useSyncExternalStore } from 'react';
import { hasHadToasts, subscribeToasts } from '@/components/ui/toast-queue';

const ToastViewport = lazy(async () => ({
  default: (await import('@/components/ui/toast-viewport')).ToastViewport,
}));

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
