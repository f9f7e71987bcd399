import type { ClusterRuntime } from '@/server/runtime/cluster-runtime';
import { Clusters } from '@/server/runtime/clusters';
import { silentLogger } from '@/server/shared/log';

/** The clusters of a process, as these runtimes read them. */
export async function clustersOf(runtimes: readonly ClusterRuntime[], isListed = false): Promise<Clusters> {
  const clusters = new Clusters({
    isListed,
    open: (entry) => {
      const runtime = runtimes.find((each) => each.entry.name === entry.name);
      if (runtime === undefined) throw new Error(`There is no cluster ${entry.name}.`);
      return Promise.resolve(runtime);
    },
    start: () => undefined,
    onChange: () => undefined,
    log: silentLogger,
  });
  await clusters.apply(runtimes.map(({ entry }) => entry));
  return clusters;
}
