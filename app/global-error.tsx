'use client';

import { Button } from '@/components/ui/button';
import '@/app/globals.css';

/** The last resort: the shell itself failed. It is loaded with every page, so it is minimal. */
export default function GlobalError({ error, reset }: { error: Error; reset: () => void }) {
  return (
    <html lang="en">
      <body>
        <main className="mx-auto grid w-full max-w-[720px] justify-items-start gap-2 px-gutter pt-12">
          <title>Error · Shiplog</title>
          <h1 className="font-medium">Internal error in Shiplog</h1>
          <p className="text-ink-2">Could not load this page. Nothing was changed in the cluster.</p>
          <p className="text-small literal text-ink-3">{String(error)}</p>
          <Button size="small" onClick={reset}>
            Try again
          </Button>
        </main>
      </body>
    </html>
  );
}
