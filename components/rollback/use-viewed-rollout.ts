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
  const [look, setLook] = useState<ViewedRollout | null>(null);
  if (!look && now) setLook({ number: 0, rollout: now });

  async function lookAgain(): Promise<void> {
    const fresh = await refetch();
    const rollout = fresh.data?.rollout ?? now;
    if (rollout && look) setLook({ number: look.number + 1, rollout });
  }

  return {
    look,
    now,
    error,
    refresh: () => void refetch(),
    isChanged: look !== null && now !== undefined && now.seen !== look.rollout.seen,
    lookAgain,
  };
}
