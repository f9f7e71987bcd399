'use client';

import { useEffect } from 'react';

/** Names the page after what it turned out to show; nothing while that is undefined. */
export function usePageTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) document.title = `${title} · Shiplog`;
  }, [title]);
}
