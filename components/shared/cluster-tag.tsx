'use client';

import { useClusters } from '@/components/queries/clusters';
import { Tag } from '@/components/ui/tag';

/**
 * The cluster of a row, given by id or name; nothing where there is only one. Those of production stand out by weight.
 */
export function ClusterTag({ cluster, className }: { cluster: string; className?: string }) {
  const { list, isSeveral, find } = useClusters();
  const item = find(cluster);
  if (list === undefined || (item !== undefined && !isSeveral)) return null;
  if (item === undefined) {
    const removed = list.removed.find(({ id }) => id === cluster);
    return (
      <Tag tone="line" title="No longer connected" className={className}>
        <span className="truncate text-ink-3">{removed?.name ?? cluster.slice(0, 8)}</span>
      </Tag>
    );
  }
  const { name, title, stage } = item;
  const isProduction = stage?.startsWith('prod') === true;
  return (
    <Tag
      tone={isProduction ? 'live' : 'line'}
      title={[title, stage].filter(Boolean).join(', ')}
      className={`${isProduction ? 'font-semibold!' : 'font-normal!'} max-w-full min-w-0 ${className ?? ''}`}
    >
      <span className="sr-only">Cluster </span>
      <span className="truncate">{name}</span>
    </Tag>
  );
}
