'use client';

import { useEffect } from 'react';
import { useRouter } from 'next/navigation';
import { clusterParam } from '@/components/queries/cluster';
import { withCluster, type WorkloadRef } from '@/components/queries/workload-ref';
import { useFocusedConnection } from '@/components/ui/connection';

/**
 * For the page of an object, whose cluster the server has `found`: its connection is the one that counts. Where there
 * are several, the cluster is put into an address without one: links then always lead to the same object, and actions
 * can concern no other.
 */
export function useClusterOfPage({ cluster }: Pick<WorkloadRef, 'cluster'>, found: string | undefined): void {
  useFocusedConnection(found);
  const router = useRouter();
  const name = cluster === undefined ? clusterParam(found) : undefined;
  useEffect(() => {
    if (name === undefined) return;
    const { pathname, search } = window.location;
    router.replace(withCluster(pathname + search, name), { scroll: false });
  }, [name, router]);
}
