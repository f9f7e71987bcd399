'use client';

import { Compare } from '@/components/diff/compare';
import { FollowedStrip } from '@/components/action-dialog/followed-strip';
import { LazyActionDialog } from '@/components/action-dialog/lazy-action-dialog';
import { parseAsString } from '@/components/ui/address-parsers';
import { useAddressValues } from '@/components/ui/address-values';
import { Crumbs } from '@/components/ui/crumbs';
import { workloadPagePath, type WorkloadRef } from '@/components/queries/workload-ref';

const parsers = { rollback: parseAsString };

/** The comparison with the rollback dialog that it can open. */
export function CompareView({ workload }: { workload: WorkloadRef }) {
  const [{ rollback }, setAddress] = useAddressValues(parsers);
  const { namespace, name } = workload;
  return (
    <>
      <Crumbs
        items={[
          { label: 'Workloads', href: '/' },
          { label: namespace, href: `/?${new URLSearchParams({ namespace })}` },
          { label: name, href: workloadPagePath(workload) },
          { label: 'Compare' },
        ]}
      />
      <FollowedStrip workloadRef={workload} />
      <Compare workload={workload} onRollback={(to) => setAddress({ rollback: to }, 'push')} />
      <LazyActionDialog
        action={rollback === null ? null : { kind: 'rollback', object: workload, to: rollback }}
        onClose={() => setAddress({ rollback: null }, 'replace')}
      />
    </>
  );
}
