'use client';

import { lazy, Suspense } from 'react';

/** This file comes with every page, what it shows only where it is needed. */
const ErrorState = lazy(async () => ({ default: (await import('@/components/ui/error-state')).ErrorState }));

/** The face of a page that broke while it was drawn; the shell around it still works. */
export default function PageError({ error, reset }: { error: Error; reset: () => void }) {
  return (
    <div className="pt-8">
      <Suspense fallback={null}>
        <ErrorState error={error} title="This page could not be drawn" onRetry={reset} />
      </Suspense>
    </div>
  );
}
