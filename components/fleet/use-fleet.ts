'use client';

import { useEffect, useMemo } from 'react';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { type Partial } from '@/lib/api/common';
import { type WorkloadItem } from '@/lib/api/workloads';
import { isClosing } from '@/lib/queries/workload-detail';
import { fleetQuery, refreshRows } from '@/lib/queries/workloads';

export interface Fleet {
  /** What has been read so far; undefined before the first answer. */
  items: readonly WorkloadItem[] | undefined;
  namespaces: readonly string[];
  partial: readonly Partial[];
  /** How many there are, when not all of them have been read yet. */
  awaited: number | null;
  error: Error | null;
  retry: () => void;
}

/** All workloads; the first of them at once, the others as they arrive. */
export function useFleet(): Fleet {
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = useInfiniteQuery(fleetQuery());
  const pages = data?.pages;
  // Two answers may come within one paint: then only the pages tell that there is one more to ask for.
  useEffect(() => {
    if (hasNextPage && !isFetching && error === null) void fetchNextPage({ cancelRefetch: false });
  }, [pages, hasNextPage, isFetching, error, fetchNextPage]);

  const items = useMemo(() => pages?.flatMap((page) => page.items), [pages]);
  useClosing(items);
  const last = pages?.at(-1);
  return {
    items,
    namespaces: last?.namespaces ?? [],
    partial: last?.partial ?? [],
    awaited: hasNextPage ? (last?.counts.total ?? null) : null,
    error,
    retry: () => void refetch(),
  };
}

const CLOSING_INTERVAL_MS = 5_000;

/** Asks again for rows whose rollout is over while its record is still open: no change of the cluster will tell. */
function useClosing(items: readonly WorkloadItem[] | undefined): void {
  const client = useQueryClient();
  const closing = useMemo(() => items?.filter(isClosing) ?? [], [items]);
  useEffect(() => {
    if (closing.length === 0) return;
    const timer = setTimeout(() => void refreshRows(client, closing), CLOSING_INTERVAL_MS);
    return () => clearTimeout(timer);
  }, [client, closing]);
}
