'use client';

import { useState } from 'react';
import { useConnection } from '@/components/ui/connection';
import { useNow } from '@/components/ui/time';

/** The current time, a little ahead of the last tick of `tickMs`; does not advance while the data is stale. */
export function useNowUnlessStale(tickMs: number): number {
  const clockMs = useNow(tickMs) + tickMs;
  const { stale } = useConnection();
  const [stoppedAtMs, setStoppedAtMs] = useState<number | null>(null);
  if (stale !== (stoppedAtMs !== null)) setStoppedAtMs(stale ? clockMs : null);
  return stoppedAtMs ?? clockMs;
}
