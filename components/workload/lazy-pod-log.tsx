'use client';

import { lazily } from '@/components/ui/lazily';
import { Skeleton } from '@/components/ui/skeleton';

/** Loaded with the first log that is opened. */
export const LazyPodLog = lazily(
  async () => (await import('@/components/workload/pod-log')).PodLog,
  <Skeleton width="100%" height={66} />,
);
