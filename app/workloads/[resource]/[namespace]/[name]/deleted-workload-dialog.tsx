'use client';

import dynamic from 'next/dynamic';
import { useState } from 'react';
import { type Incarnation } from '@/lib/api/earlier-incarnation';
import { type RevisionItem } from '@/lib/api/revisions';
import { type WorkloadRef } from '@/components/queries/workload-ref';

const RollbackDialog = dynamic(
  async () => (await import('@/components/rollback/rollback-dialog')).RollbackDialog,
  { ssr: false },
);

/** Rolls the current workload back to a template of an earlier incarnation: the same dialog with the same checks. */
export function DeletedWorkloadDialog({
  workload,
  target,
  incarnation,
  open,
  onClose,
}: {
  workload: WorkloadRef;
  target: RevisionItem | undefined;
  incarnation: Incarnation;
  open: boolean;
  onClose: () => void;
}) {
  const [last, setLast] = useState(target);
  if (target !== undefined && target !== last) setLast(target);
  if (last === undefined) return null;
  return (
    <RollbackDialog
      workloadRef={workload}
      to={last.id}
      foreign={{ revision: last, life: incarnation }}
      open={open}
      onOpenChange={(next) => next || onClose()}
    />
  );
}
