'use client';

import { useEffect, useEffectEvent, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { type WorkloadDetail } from '@/lib/api/workloads';
import { workloadDetailQuery } from '@/lib/queries/workload-detail';
import { type WorkloadRef } from '@/lib/queries/workload-ref';

/** One look at the workload: what the viewer reads and decides on. */
export interface Look {
  /** Counts from 0; every "Look again" is a new one. */
  number: number;
  detail: WorkloadDetail;
}

/**
 * The workload as it is, and as it was when the viewer looked. Only the viewer's "Look again" makes the present one the
 * one looked at; until then the two may differ, and `isChanged` says so.
 */
export function useLook(workload: WorkloadRef) {
  const { data: now, error, refetch } = useQuery(workloadDetailQuery(workload));
  const [look, setLook] = useState<Look | null>(null);
  const [first, setFirst] = useState<WorkloadDetail | null>(null);
  if (!look && now) {
    setLook({ number: 0, detail: now });
    setFirst(now);
  }

  async function lookAgain(): Promise<void> {
    const fresh = await refetch();
    const detail = fresh.data ?? now;
    if (detail && look) setLook({ number: look.number + 1, detail });
  }

  return {
    look,
    now,
    /** What was there when the dialog was opened. */
    first,
    error,
    refresh: () => void refetch(),
    isChanged: look !== null && now !== undefined && now.workload.seen !== look.detail.workload.seen,
    lookAgain,
  };
}

/** Reads the workload anew as soon as an answer says that it is another one: the stream may be slower than the answer. */
export function useRefreshOn(isConflict: boolean, refresh: () => void): void {
  const onConflict = useEffectEvent(refresh);
  useEffect(() => {
    if (isConflict) onConflict();
  }, [isConflict]);
}
