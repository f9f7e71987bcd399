'use client';

import { useQuery } from '@tanstack/react-query';
import { clustersQuery } from '@/components/queries/cluster';

/** Whether this viewer can write anything here: a verdict, a comment, a pin. */
export function useCanWrite(): boolean {
  // The shell of every page loads it.
  const { data } = useQuery({ ...clustersQuery(), enabled: false });
  return data?.readOnly !== true;
}
