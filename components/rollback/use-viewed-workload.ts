'use client';

import { useEffect, useEffectEvent, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { type WorkloadDetail } from '@/lib/api/workloads';
import { workloadDetailQuery } from '@/components/queries/workload-detail';
import { type WorkloadRef } from '@/components/queries/workload-ref';

/** One version of the workload that the viewer reads and decides on. */
export interface ViewedWorkload {
  /** Counts from 0; every reload by the viewer adds 1. */
  number: number;
  detail: WorkloadDetail;
}

/**
 * The current workload and the viewed one. Only the viewer makes the current one the viewed one; until then the two
 * may differ, and `isChanged` reports it.
 */
export function useViewedWorkload(workload: WorkloadRef) {
  const { data: now, error, refetch } = useQuery(workloadDetailQuery(workload));
  const [viewed, setViewed] = useState<ViewedWorkload | null>(null);
  const [first, setFirst] = useState<WorkloadDetail | null>(null);
  if (!viewed && now) {
    setViewed({ number: 0, detail: now });
    setFirst(now);
  }

  async function reload(): Promise<void> {
    const fresh = await refetch();
    const detail = fresh.data ?? now;
    if (detail && viewed) setViewed({ number: viewed.number + 1, detail });
  }

  return {
    viewed,
    now,
    /** The workload when the dialog was opened. */
    first,
    error,
    refresh: () => void refetch(),
    isChanged: viewed !== null && now !== undefined && now.workload.seen !== viewed.detail.workload.seen,
    reload,
  };
}

/**
 * Refetches the workload as soon as an answer reports that it has changed: the stream may be slower than the answer.
 */
export function useRefreshOnConflict(isConflict: boolean, refresh: () => void): void {
  const onConflict = useEffectEvent(refresh);
  useEffect(() => {
    if (isConflict) onConflict();
  }, [isConflict]);
}
