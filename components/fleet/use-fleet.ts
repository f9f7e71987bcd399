'use client';

import { useEffect, useMemo } from 'react';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import type { PartialResult } from '@/lib/api/common';
import type { WorkloadItem } from '@/lib/api/workloads';
import { isRecordClosing } from '@/components/queries/workload-detail';
import { fleetQuery, refreshRows } from '@/components/queries/workloads';

export interface FleetData {
  /** What has been read so far; undefined before the first answer. */
  items: readonly WorkloadItem[] | undefined;
  namespaces: readonly string[];
  partial: readonly PartialResult[];
  /** The total, when not all of them have been read yet. */
  expectedTotal: number | null;
  error: Error | null;
  retry: () => void;
}

/** All workloads: the first page at once, the others as they arrive. */
export function useFleet(): FleetData {
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = useInfiniteQuery(fleetQuery());
  const pages = data?.pages;
  // Two answers may arrive within one render: then only the pages show that there is another one to request.
  useEffect(() => {
    if (hasNextPage && !isFetching && error === null) void fetchNextPage({ cancelRefetch: false });
  }, [pages, hasNextPage, isFetching, error, fetchNextPage]);

  const items = useMemo(() => pages?.flatMap((page) => page.items), [pages]);
  useRefreshClosingRows(items);
  const last = pages?.at(-1);
  return {
    items,
    namespaces: last?.namespaces ?? [],
    partial: last?.partial ?? [],
    expectedTotal: hasNextPage ? (last?.counts.total ?? null) : null,
    error,
    retry: () => void refetch(),
  };
}

const CLOSING_REFRESH_MS = 5_000;

/**
 * Refetches rows whose rollout is completed while its record is open: no change of the cluster announces the end of a
 * record.
 */
function useRefreshClosingRows(items: readonly WorkloadItem[] | undefined): void {
  const client = useQueryClient();
  const closing = useMemo(() => items?.filter(isRecordClosing) ?? [], [items]);
  useEffect(() => {
    if (closing.length === 0) return;
    const timer = setTimeout(() => void refreshRows(client, closing), CLOSING_REFRESH_MS);
    return () => clearTimeout(timer);
  }, [client, closing]);
}
