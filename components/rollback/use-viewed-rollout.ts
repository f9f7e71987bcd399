'use client';

import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { type RolloutItem } from '@/lib/api/rollouts';
import { rolloutQuery, type RolloutRef } from '@/components/queries/rollouts';

/** One version of a rollout that the viewer reads and decides on. */
export interface ViewedRollout {
  /** Counts from 0; every reload by the viewer adds 1. */
  number: number;
  rollout: RolloutItem;
}

/**
 * The current rollout and the viewed one. Only the viewer makes the current one the viewed one; until then the two
 * may differ, and `isChanged` reports it.
 */
export function useViewedRollout(ref: RolloutRef) {
  const { data, error, refetch } = useQuery(rolloutQuery(ref));
  const now = data?.rollout;
  const [viewed, setViewed] = useState<ViewedRollout | null>(null);
  if (!viewed && now) setViewed({ number: 0, rollout: now });

  async function reload(): Promise<void> {
    const fresh = await refetch();
    const rollout = fresh.data?.rollout ?? now;
    if (rollout && viewed) setViewed({ number: viewed.number + 1, rollout });
  }

  return {
    viewed,
    now,
    error,
    refresh: () => void refetch(),
    isChanged: viewed !== null && now !== undefined && now.seen !== viewed.rollout.seen,
    reload,
  };
}
