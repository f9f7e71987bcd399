'use client';

import { ErrorState } from '@/components/ui/error-state';
import '@/app/globals.css';

/** The last resort: the shell itself broke. */
export default function GlobalError({ error, reset }: { error: Error; reset: () => void }) {
  return (
    <html lang="en">
      <body>
        <main className="mx-auto w-full max-w-[720px] px-gutter pt-12">
          <title>Broken · Shiplog</title>
          <ErrorState error={error} title="Shiplog could not be drawn" onRetry={reset} />
        </main>
      </body>
    </html>
  );
}
