'use client';

import { useQuery } from '@tanstack/react-query';
import { clusterQuery } from '@/lib/queries/cluster';

/** Whether this viewer may write anything here: a verdict, a comment, a pin. */
export function useMayWrite(): boolean {
  // The shell of every page reads it.
  const { data } = useQuery({ ...clusterQuery(), enabled: false });
  return data?.readOnly !== true;
}
