import { headers } from 'next/headers';
import { type ClusterInfo } from '@/lib/api/cluster';
import { clusterInfo } from '@/server/reads/cluster';
import { runtime } from '@/server/runtime/runtime';

/**
 * What the shell shows of cluster and viewer, for the first paint. Undefined where it is not available now: the browser
 * then requests it itself, and shows the error if there is one.
 */
export async function readCluster(): Promise<ClusterInfo | undefined> {
  const request = new Request('http://localhost/', { headers: await headers() });
  try {
    const { clusters, config, edge } = await runtime();
    const [only] = clusters;
    if (only === undefined) return undefined;
    const { cluster, reads, controllers, recorderState } = only;
    return clusterInfo({ cluster, config, reads, controllers, recorderState }, await edge.viewerOf(request));
  } catch {
    return undefined;
  }
}
