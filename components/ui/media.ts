'use client';

import { useSyncExternalStore } from 'react';

/** Whether a media query matches; `false` on the server and in the first paint. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = window.matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    () => window.matchMedia(query).matches,
    () => false,
  );
}

/** The width at which pages switch to the phone layout, as in the `desk:` variant of the style sheet. */
export function usePhone(): boolean {
  return useMedia('(width < 721px)');
}
