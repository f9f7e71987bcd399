import { headers } from 'next/headers';
import { type ClusterInfo } from '@/lib/api/cluster';
import { runtime } from '@/server/runtime/runtime';

/**
 * What the shell shows of cluster and viewer, for the first paint. Undefined where it is not available now: the browser
 * then requests it itself, and shows the error if there is one.
 */
export async function readCluster(): Promise<ClusterInfo | undefined> {
  const request = new Request('http://localhost/', { headers: await headers() });
  try {
    const { clusters, edge } = await runtime();
    const [only] = clusters.all;
    return only?.infoFor(only.viewerOf(await edge.viewerOf(request)));
  } catch {
    return undefined;
  }
}
