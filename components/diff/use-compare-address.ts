'use client';

import { useSearchParams } from 'next/navigation';
import type { SidePair } from '@/components/diff/sides';

interface CompareAddress {
  from: string | null;
  to: string | null;
  yaml: boolean;
  noise: boolean;
}

/**
 * The address of a comparison, and how to change it. Another pair adds an entry to the browser's history; unfolding
 * does not.
 */
export function useCompareAddress(): CompareAddress & {
  show: (pair: SidePair) => void;
  unfold: (change: { yaml?: boolean; noise?: boolean }) => void;
} {
  const search = useSearchParams();
  return {
    from: search.get('from'),
    to: search.get('to'),
    yaml: search.has('yaml'),
    noise: search.has('noise'),
    show: (pair) => window.history.pushState(null, '', addressWith(search, { ...pair })),
    unfold: (change) => window.history.replaceState(null, '', addressWith(search, flags(change))),
  };
}

function flags(change: { yaml?: boolean; noise?: boolean }): Record<string, string | null> {
  return Object.fromEntries(Object.entries(change).map(([name, on]) => [name, on ? '1' : null]));
}

function addressWith(search: URLSearchParams, change: Record<string, string | null>): string {
  const next = new URLSearchParams(search);
  for (const [name, value] of Object.entries(change)) {
    if (value === null) next.delete(name);
    else next.set(name, value);
  }
  return `?${next}`;
}
