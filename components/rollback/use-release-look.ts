'use client';

import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { type RolloutItem } from '@/lib/api/rollouts';
import { rolloutQuery, type RolloutRef } from '@/lib/queries/rollouts';

/** One look at a rollout: what the viewer reads and decides on. */
export interface ReleaseLook {
  /** Counts from 0; every "Look again" is a new one. */
  number: number;
  rollout: RolloutItem;
}

/**
 * The rollout as it is, and as it was when the viewer looked. Only the viewer's "Look again" makes the present one the one
 * looked at; until then the two may differ, and `isChanged` says so.
 */
export function useReleaseLook(ref: RolloutRef) {
  const { data, error, refetch } = useQuery(rolloutQuery(ref));
  const now = data?.rollout;
  const [look, setLook] = useState<ReleaseLook | null>(null);
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
