'use client';

import { useEffect } from 'react';
import { useRouter } from 'next/navigation';
import { clusterParam } from '@/components/queries/cluster';
import { withCluster, type WorkloadRef } from '@/components/queries/workload-ref';

/**
 * Puts the cluster of an object into an address without one, where there are several: its links then always lead to the
 * same object, and its actions can concern no other. `found` is the cluster of the object that the server has found.
 */
export function useStatedCluster({ cluster }: Pick<WorkloadRef, 'cluster'>, found: string | undefined): void {
  const router = useRouter();
  const name = cluster === undefined ? clusterParam(found) : undefined;
  useEffect(() => {
    if (name === undefined) return;
    const { pathname, search } = window.location;
    router.replace(withCluster(pathname + search, name), { scroll: false });
  }, [name, router]);
}
