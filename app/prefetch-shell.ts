import { headers } from 'next/headers';
import { dehydrate, type DehydratedState, QueryClient } from '@tanstack/react-query';
import { clusterQuery } from '@/components/queries/cluster';
import { clusterInfo } from '@/server/reads/cluster';
import { runtime } from '@/server/runtime/runtime';

/**
 * The shell's data on cluster and viewer, for the first paint. Undefined where it is not available now: the browser
 * then requests it itself, and shows the error if there is one.
 */
export async function prefetchShell(): Promise<DehydratedState | undefined> {
  const request = new Request('http://localhost/', { headers: await headers() });
  try {
    const parts = await runtime();
    const client = new QueryClient();
    const viewer = await parts.edge.viewerOf(request);
    client.setQueryData(clusterQuery().queryKey, clusterInfo(parts, viewer));
    return dehydrate(client);
  } catch {
    return undefined;
  }
}
