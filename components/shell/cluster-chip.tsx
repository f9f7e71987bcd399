'use client';

import { useQuery } from '@tanstack/react-query';
import { showOverlay } from '@/components/shell/overlay';
import { Glyph } from '@/components/ui/glyph';
import { Skeleton } from '@/components/ui/skeleton';
import { lazily } from '@/components/ui/lazily';
import { Tag } from '@/components/ui/tag';
import { clustersQuery, useClusters } from '@/components/queries/cluster';

const ClusterPicker = lazily(
  async () => (await import('@/components/shell/cluster-picker')).ClusterPicker,
  <Skeleton width={96} />,
);
const ControllerTags = lazily(
  async () => (await import('@/components/shell/controller-tags')).ControllerTags,
);

/** Name and scope of the cluster, and whether Shiplog can change anything in it; of several the choice among them. */
export function ClusterChip() {
  // The one place that loads them.
  useQuery(clustersQuery());
  const { list, isSeveral, find } = useClusters();
  const data = isSeveral ? undefined : find();
  return (
    <div className="mr-2.5 flex min-w-0 items-center gap-1.5 max-desk:mr-0">
      {isSeveral ? (
        <ClusterPicker />
      ) : (
        <span
          title={data && [data.server, data.version].filter(Boolean).join(', Kubernetes ')}
          className="inline-flex h-[26px] min-w-0 items-center rounded-3 border border-line px-2 text-small text-ink-2"
        >
          <span className="sr-only">Cluster </span>
          {data ? (
            <span className="max-w-[180px] truncate max-desk:max-w-[104px]">{data.name}</span>
          ) : (
            <Skeleton width={48} />
          )}
        </span>
      )}
      {list?.sandbox && (
        <button
          type="button"
          onClick={() => showOverlay('connect')}
          title="Demo data: how to connect your cluster"
          className="hidden h-[26px] flex-none items-center gap-1.5 rounded-3 bg-accent-soft in-[[data-sandbox-strip=closed]]:inline-flex px-2 text-small font-medium text-accent hover:underline"
        >
          <Glyph name="plug" size={12} />
          <span className="max-desk:sr-only">Connect your cluster</span>
        </button>
      )}
      {data?.namespaces && (
        <Tag tone="line" title={data.namespaces.join(', ')} className="max-desk:hidden">
          {data.namespaces.length === 1 ? data.namespaces[0] : `${data.namespaces.length} namespaces`}
        </Tag>
      )}
      {data !== undefined && data.controllers.length > 0 && <ControllerTags controllers={data.controllers} />}
      {(list?.readOnly === true || data?.readOnly === true) && (
        <Tag glyph="lock" title="Shiplog runs in read-only mode: it shows and compares, but changes nothing">
          read-only
        </Tag>
      )}
    </div>
  );
}
