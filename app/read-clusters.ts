import { headers } from 'next/headers';
import { type ClusterList } from '@/lib/api/cluster';
import { listClusters } from '@/server/runtime/fleet';
import { runtime } from '@/server/runtime/runtime';

/**
 * What the shell shows of clusters and viewer, for the first paint. Undefined where it is not available now: the browser
 * then requests it itself, and shows the error if there is one.
 */
export async function readClusters(): Promise<ClusterList | undefined> {
  const request = new Request('http://localhost/', { headers: await headers() });
  try {
    const running = await runtime();
    return await listClusters(running, await running.edge.identity.viewerOf(request));
  } catch {
    return undefined;
  }
}
