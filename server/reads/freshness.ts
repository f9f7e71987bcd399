import { isoTime } from '@/lib/format/time';
import type { Cluster } from '@/server/cluster/cluster';
import type { Fleet } from '@/server/views/fleet';

/** The same of an answer over clusters: as old as the oldest; stale where all are, since `partial` names each one that is. */
export function fleetFreshness({ clusters, now }: Pick<Fleet, 'clusters' | 'now'>): {
  observedAt: string;
  stale: boolean;
} {
  const each = clusters.map(({ context }) => freshness(context));
  return {
    observedAt: each.map(({ observedAt }) => observedAt).sort()[0] ?? isoTime(now()),
    stale: each.length > 0 && each.every(({ stale }) => stale),
  };
}

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
