'use client';

import { lazy, Suspense } from 'react';

/** This file is loaded with every page, its content only on an error. */
const ErrorState = lazy(async () => ({ default: (await import('@/components/ui/error-state')).ErrorState }));

/** The error page of a page that failed to render; the shell around it still works. */
export default function PageError({ error, reset }: { error: Error; reset: () => void }) {
  return (
    <div className="pt-8">
      <Suspense fallback={null}>
        <ErrorState error={error} title="Could not load this page" onRetry={reset} />
      </Suspense>
    </div>
  );
}
