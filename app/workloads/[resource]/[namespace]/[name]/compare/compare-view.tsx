'use client';

import { useQuery } from '@tanstack/react-query';
import { useQueryState } from 'nuqs';
import { Compare } from '@/components/diff/compare';
import { FollowedStrip } from '@/components/action-dialog/followed-strip';
import { LazyActionDialog } from '@/components/action-dialog/lazy-action-dialog';
import { Crumbs } from '@/components/ui/crumbs';
import { clusterParam } from '@/components/queries/cluster';
import { workloadDetailQuery } from '@/components/queries/workload-detail';
import { useClusterOfPage } from '@/components/shared/cluster-of-page';
import { workloadPagePath, type WorkloadRef } from '@/components/queries/workload-ref';

/** The comparison with the rollback dialog that it can open. */
export function CompareView({ workload }: { workload: WorkloadRef }) {
  const [rollback, setRollback] = useQueryState('rollback', { history: 'push' });
  const { namespace, name } = workload;
  const place = clusterParam(workload.cluster);
  const found = useQuery(workloadDetailQuery(workload)).data?.workload.cluster;
  useClusterOfPage(workload, found);
  return (
    <>
      <Crumbs
        items={[
          { label: 'Workloads', href: '/' },
          ...(place === undefined
            ? []
            : [{ label: place, href: `/?${new URLSearchParams({ cluster: place })}` }]),
          { label: namespace, href: `/?${new URLSearchParams({ namespace })}` },
          { label: name, href: workloadPagePath(workload) },
          { label: 'Compare' },
        ]}
      />
      <FollowedStrip workloadRef={workload} />
      <Compare workload={workload} onRollback={(to) => void setRollback(to)} />
      <LazyActionDialog
        action={rollback === null ? null : { kind: 'rollback', object: workload, to: rollback }}
        onClose={() => void setRollback(null, { history: 'replace' })}
      />
    </>
  );
}
