'use client';

import dynamic from 'next/dynamic';
import { useState } from 'react';
import { useQueryState } from 'nuqs';
import { Compare } from '@/components/diff/compare';
import { FollowedStrip } from '@/components/rollback/action-strip';
import { Crumbs } from '@/components/ui/crumbs';
import { workloadPagePath, type WorkloadRef } from '@/components/queries/workload-ref';

const RollbackDialog = dynamic(
  async () => (await import('@/components/rollback/rollback-dialog')).RollbackDialog,
  { ssr: false },
);

/** The comparison with the rollback dialog that it can open. */
export function CompareView({ workload }: { workload: WorkloadRef }) {
  const [rollback, setRollback] = useQueryState('rollback', { history: 'push' });
  const [last, setLast] = useState(rollback);
  if (rollback !== null && rollback !== last) setLast(rollback);
  const { namespace, name } = workload;
  return (
    <>
      <Crumbs
        items={[
          { label: 'Fleet', href: '/' },
          { label: namespace, href: `/?${new URLSearchParams({ namespace })}` },
          { label: name, href: workloadPagePath(workload) },
          { label: 'Compare' },
        ]}
      />
      <FollowedStrip workloadRef={workload} />
      <Compare workload={workload} onRollback={(to) => void setRollback(to)} />
      {last !== null && (
        <RollbackDialog
          workloadRef={workload}
          to={last}
          open={rollback !== null}
          onOpenChange={(open) => void setRollback(open ? last : null, { history: 'replace' })}
        />
      )}
    </>
  );
}
