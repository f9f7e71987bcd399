'use client';

import { useClusters } from '@/components/queries/cluster';
import { Tag } from '@/components/ui/tag';

/** Where a row is, by the id or the name of its cluster; nothing where that is the only one. */
export function ClusterTag({ cluster, className }: { cluster: string; className?: string }) {
  const { isSeveral, find, list } = useClusters();
  const isRead = list === undefined || list.items.some(({ id, name }) => id === cluster || name === cluster);
  if (!isSeveral && isRead) return null;
  const found = isRead ? find(cluster) : undefined;
  const name = found?.name ?? list?.removed.find(({ id }) => id === cluster)?.name ?? cluster;
  const title =
    found === undefined ? 'No longer connected' : [found.title, found.stage].filter(Boolean).join(', ');
  return (
    <Tag tone={found?.stage === 'production' ? 'live' : 'line'} title={title} className={className}>
      <span className="sr-only">Cluster </span>
      <span className="max-w-[12em] truncate">{name}</span>
    </Tag>
  );
}
