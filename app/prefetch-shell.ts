import { headers } from 'next/headers';
import { dehydrate, type DehydratedState, QueryClient } from '@tanstack/react-query';
import { clusterQuery } from '@/lib/queries/cluster';
import { clusterInfo } from '@/server/reads/cluster';
import { runtime } from '@/server/runtime';

/**
 * What the shell says about cluster and viewer, so that the first paint has it. Undefined where that can't be had now:
 * the browser then asks for itself, and shows the error if there is one.
 */
export async function prefetchShell(): Promise<DehydratedState | undefined> {
  const request = new Request('http://localhost/', { headers: await headers() });
  try {
    const { cluster, config, reads, ledger, controllers, edge } = await runtime();
    const client = new QueryClient();
    const viewer = await edge.viewerOf(request);
    const info = clusterInfo(
      cluster,
      config,
      viewer,
      reads.archive != null,
      ledger.state,
      controllers?.states() ?? [],
    );
    client.setQueryData(clusterQuery().queryKey, info);
    return dehydrate(client);
  } catch {
    return undefined;
  }
}
