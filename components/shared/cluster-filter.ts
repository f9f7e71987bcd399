'use client';

import { useCallback, useEffect, useEffectEvent, useMemo } from 'react';
import { parseAsString, useQueryStates } from 'nuqs';
import { type ClusterFilter, useClusters } from '@/components/queries/cluster';
import { readStored, store } from '@/components/ui/browser-storage';

const STORED = 'cluster-filter';
const parsers = { cluster: parseAsString, stage: parseAsString };

/** What is undefined is reset. */
type ClusterChoice = { [Name in keyof ClusterFilter]?: string | undefined };

/** The filter in the address of a list. Empty where Shiplog reads one cluster only. */
export function useClusterFilter(): ClusterFilter {
  const { isSeveral } = useClusters();
  const [{ cluster, stage }] = useQueryStates(parsers);
  return useMemo(() => (isSeveral ? filterOf(cluster, stage) : {}), [isSeveral, cluster, stage]);
}

/**
 * The same for the picker, which keeps the choice: a list that is opened without a filter in its address gets the last
 * one, and an address that states one wins.
 */
export function useStickyClusterFilter(isList: boolean): [ClusterFilter, (filter: ClusterChoice) => void] {
  const filter = useClusterFilter();
  const { isSeveral } = useClusters();
  const [, setAddress] = useQueryStates(parsers);
  const isStated = filter.cluster !== undefined || filter.stage !== undefined;

  const restore = useEffectEvent(() => {
    const last = isStated ? null : readStored(STORED);
    if (last === null) return;
    const stored = new URLSearchParams(last);
    void setAddress({ cluster: stored.get('cluster'), stage: stored.get('stage') }, { history: 'replace' });
  });
  // Only when a list is opened: a filter that is cleared there stays cleared.
  useEffect(() => {
    if (isSeveral && isList) restore();
  }, [isSeveral, isList]);

  const choose = useCallback(
    ({ cluster, stage }: ClusterChoice) => {
      const text = new URLSearchParams({ ...(cluster && { cluster }), ...(stage && { stage }) }).toString();
      store(STORED, text === '' ? null : text);
      void setAddress({ cluster: cluster ?? null, stage: stage ?? null }, { history: 'push' });
    },
    [setAddress],
  );
  return [filter, choose];
}

function filterOf(cluster: string | null, stage: string | null): ClusterFilter {
  return { ...(cluster !== null && { cluster }), ...(stage !== null && { stage }) };
}
