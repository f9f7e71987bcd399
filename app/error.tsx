'use client';

import { ErrorState } from '@/components/ui/error-state';

/** The face of a page that broke while it was drawn; the shell around it still works. */
export default function PageError({ error, reset }: { error: Error; reset: () => void }) {
  return (
    <div className="pt-8">
      <ErrorState error={error} title="This page could not be drawn" onRetry={reset} />
    </div>
  );
}
