'use client';

import { useState } from 'react';
import { useConnection } from '@/components/ui/connection';
import { useNow } from '@/components/ui/time';

/** The present, a little ahead of the last tick of `tickMs`; stands still while what is shown is not fresh. */
export function useStandingNow(tickMs: number): number {
  const clockMs = useNow(tickMs) + tickMs;
  const { stale } = useConnection();
  const [stoodAtMs, setStoodAtMs] = useState<number | null>(null);
  if (stale !== (stoodAtMs !== null)) setStoodAtMs(stale ? clockMs : null);
  return stoodAtMs ?? clockMs;
}
