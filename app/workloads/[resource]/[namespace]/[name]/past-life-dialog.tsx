'use client';

import dynamic from 'next/dynamic';
import { useState } from 'react';
import { type Life, type RevisionItem } from '@/lib/api/workloads';
import { type WorkloadRef } from '@/lib/queries/workload-ref';

const RollbackDialog = dynamic(
  async () => (await import('@/components/rollback/rollback-dialog')).RollbackDialog,
  { ssr: false },
);

/** Takes a template of an earlier life into the present workload: the same dialog with the same checks. */
export function PastLifeDialog({
  workload,
  target,
  life,
  open,
  onClose,
}: {
  workload: WorkloadRef;
  target: RevisionItem | undefined;
  life: Life;
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
      foreign={{ revision: last, life }}
      open={open}
      onOpenChange={(next) => next || onClose()}
    />
  );
}
