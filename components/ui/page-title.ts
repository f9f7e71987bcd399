'use client';

import { useEffect } from 'react';

/** Sets the title of the page once its content is known; nothing while it is undefined. */
export function usePageTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) document.title = `${title} · Shiplog`;
  }, [title]);
}
