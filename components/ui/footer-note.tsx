'use client';

import { useEffect, useId, useSyncExternalStore } from 'react';
import { createListeners } from '@/components/ui/listeners';

const notes = new Map<string, string>();
const { subscribe, notify } = createListeners();

/** A note at the end of the footer: "checkout selected". Renders nothing here. */
export function FooterNote({ children }: { children: string | undefined }) {
  const id = useId();
  useEffect(() => {
    if (children === undefined) return;
    notes.set(id, children);
    notify();
    return () => {
      notes.delete(id);
      notify();
    };
  }, [id, children]);
  return null;
}

/** The newest note of the page. */
export function useFooterNote(): string | undefined {
  return useSyncExternalStore(
    subscribe,
    () => [...notes.values()].at(-1),
    () => undefined,
  );
}
