'use client';

import { useCallback, useEffect, useEffectEvent, useMemo } from 'react';
import { parseAsString, useQueryStates } from 'nuqs';
import { type ClusterFilter, useClusters } from '@/components/queries/cluster';
import { readStored, store } from '@/components/ui/browser-storage';

const STORED = 'cluster-filter';
const parsers = { cluster: parseAsString, stage: parseAsString };

/** What is undefined is reset. */
type ClusterChoice = { [Name in keyof ClusterFilter]?: string | undefined };

/** The filter in the address of a list, also where Shiplog reads one cluster: it may be about a removed one. */
export function useClusterFilter(): ClusterFilter {
  const [{ cluster, stage }] = useQueryStates(parsers);
  return useMemo(
    () => ({ ...(cluster !== null && { cluster }), ...(stage !== null && { stage }) }),
    [cluster, stage],
  );
}

/** The same, with what changes it. The last choice is kept for lists that are opened later. */
export function useStickyClusterFilter(): [ClusterFilter, (filter: ClusterChoice) => void] {
  const [, setAddress] = useQueryStates(parsers);
  const choose = useCallback(
    ({ cluster, stage }: ClusterChoice) => {
      const text = new URLSearchParams({ ...(cluster && { cluster }), ...(stage && { stage }) }).toString();
      store(STORED, text === '' ? null : text);
      void setAddress({ cluster: cluster ?? null, stage: stage ?? null }, { history: 'push' });
    },
    [setAddress],
  );
  return [useClusterFilter(), choose];
}

/**
 * Gives a list that is opened without a filter in its address the last choice; an address that states one wins. `list`
 * is the path of the list; null on other pages.
 */
export function useRestoredClusterFilter(list: string | null): void {
  const { isSeveral } = useClusters();
  const restore = useEffectEvent(() => {
    const address = new URLSearchParams(window.location.search);
    const last = readStored(STORED);
    if (last === null || address.has('cluster') || address.has('stage')) return;
    new URLSearchParams(last).forEach((value, name) => address.set(name, value));
    // Not through nuqs, which forgets what is changed while a page opens.
    window.history.replaceState(null, '', `?${address}`);
  });
  // Only when a list is opened: a filter that is cleared there stays cleared.
  useEffect(() => {
    if (isSeveral && list !== null) restore();
  }, [isSeveral, list]);
}
