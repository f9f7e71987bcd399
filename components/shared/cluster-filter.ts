'use client';

import { useCallback, useEffect, useMemo } from 'react';
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
  return useMemo(
    () => (isSeveral ? { ...(cluster !== null && { cluster }), ...(stage !== null && { stage }) } : {}),
    [isSeveral, cluster, stage],
  );
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

  useEffect(() => {
    const last = isSeveral && isList && !isStated ? readStored(STORED) : null;
    if (last === null) return;
    const { cluster = null, stage = null } = parse(last);
    void setAddress({ cluster, stage }, { history: 'replace' });
    // Only when a list is opened: a filter that is cleared there stays cleared.
    // eslint-disable-next-line react-hooks/exhaustive-deps
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

function parse(text: string): ClusterFilter {
  const params = new URLSearchParams(text);
  const [cluster, stage] = [params.get('cluster'), params.get('stage')];
  return { ...(cluster !== null && { cluster }), ...(stage !== null && { stage }) };
}
