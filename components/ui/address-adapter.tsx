'use client';

import { startTransition, Suspense, useEffect } from 'react';
import { usePathname, useSearchParams } from 'next/navigation';
import {
  renderQueryString,
  unstable_createAdapterProvider as createAdapterProvider,
  type unstable_AdapterInterface as AdapterInterface,
  type unstable_UpdateUrlFunction as UpdateUrl,
} from 'nuqs/adapters/custom';
import { NuqsAdapter } from 'nuqs/adapters/next/app';

/** The page that the router is opening; null while it opens none. */
let opening: string | null = null;

/** To be called when the router begins to open a page. */
export function onOpenPage(href: string): void {
  opening = href;
}

/**
 * Keeps state in the address as `NuqsAdapter` does, whose writes come up to 150 ms after a change. A write in the usual
 * form stops the router from opening the page that the viewer asked for meanwhile.
 */
export function AddressAdapter({ children }: { children: React.ReactNode }) {
  return (
    <NuqsAdapter>
      <Suspense>
        <Arrival />
      </Suspense>
      <WriterProvider>{children}</WriterProvider>
    </NuqsAdapter>
  );
}

function Arrival() {
  const pathname = usePathname();
  const search = useSearchParams();
  useEffect(() => {
    opening = null;
  }, [pathname]);
  // Under the same path it may be an earlier write that the router learns of only now.
  useEffect(() => {
    if (!isOpening()) opening = null;
  }, [search]);
  return null;
}

const WriterProvider = createAdapterProvider(useWriter);

function useWriter(): AdapterInterface {
  return {
    searchParams: useSearchParams(),
    pathname: usePathname(),
    updateUrl,
    rateLimitFactor: CALLS_PER_UPDATE,
    autoResetQueueOnUpdate: false,
  };
}

/** As in `NuqsAdapter`: calls of the browser's history for one change of the address, which browsers limit. */
const CALLS_PER_UPDATE = 3;

/** In place of the unused title: without it the library takes the call for a navigation and forgets later changes. */
const MARKER = '__nuqs__';

const updateUrl: UpdateUrl = (search, options) => {
  const { pathname, hash } = window.location;
  const url = `${pathname}${renderQueryString(search)}${hash}`;
  const method = options.history === 'push' ? 'pushState' : 'replaceState';
  // With the existing state the router ignores the change; it reads the address on back and forward.
  startTransition(() => window.history[method](isOpening() ? window.history.state : null, MARKER, url));
};

function isOpening(): boolean {
  if (opening === null) return false;
  const { pathname, search } = new URL(opening, window.location.href);
  return pathname !== window.location.pathname || search !== window.location.search;
}
