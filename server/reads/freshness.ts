import { type Cluster } from '@/server/cluster/cluster';

/** How old the cluster state in an answer is. */
export function freshness({ cluster, now }: { cluster: Cluster; now: () => number }): {
  observedAt: string;
  stale: boolean;
} {
  const { connection } = cluster;
  const connected = connection.state === 'connected';
  return {
    // While connected the watch delivers every change: the answer is current.
    observedAt: new Date(connected ? now() : (connection.observedAt ?? now())).toISOString(),
    stale: !connected,
  };
}
