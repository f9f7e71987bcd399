'use client';

import { useEffect, useId, useSyncExternalStore } from 'react';

export interface KeyHint {
  /** As printed: `['j', 'k']`. */
  keys: readonly string[];
  label: string;
}

interface KeyHintsEntry {
  items: readonly KeyHint[];
  note: React.ReactNode;
}

const entries = new Map<string, KeyHintsEntry>();
const listeners = new Set<() => void>();
let newest: KeyHintsEntry | undefined;

/**
 * The keys of this page, for the footer and the list on `?`; `note` is at the end of the footer ("checkout
 * selected"). Renders nothing. Bind the keys themselves with `useShortcuts`.
 */
export function KeyHints({ items, note }: { items: readonly KeyHint[]; note?: React.ReactNode }) {
  const id = useId();
  useEffect(() => {
    entries.set(id, { items, note });
    notify();
  }, [id, items, note]);
  useEffect(
    () => () => {
      entries.delete(id);
      notify();
    },
    [id],
  );
  return null;
}

/** The keys of the newest `PageKeys` on the page. */
export function usePageKeys(): KeyHintsEntry | undefined {
  return useSyncExternalStore(
    subscribe,
    () => newest,
    () => undefined,
  );
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function notify(): void {
  newest = [...entries.values()].at(-1);
  for (const listener of [...listeners]) listener();
}
