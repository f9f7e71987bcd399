'use client';

import dynamic from 'next/dynamic';
import { useState } from 'react';
import { type WorkloadDetail } from '@/lib/api/workloads';
import { type PodItem } from '@/lib/api/pods';
import { type Address } from './use-address';

const RollbackDialog = dynamic(
  async () => (await import('@/components/rollback/rollback-dialog')).RollbackDialog,
  { ssr: false },
);
const ControlDialog = dynamic(
  async () => (await import('@/components/rollback/control-dialog')).ControlDialog,
  { ssr: false },
);

/** The dialog of the address; loaded with the first one that is opened. */
export function WorkloadDialogs({
  workload,
  pods,
  address,
  onClose,
  onCompare,
}: {
  workload: WorkloadDetail['workload'];
  pods: readonly PodItem[];
  address: Address;
  onClose: () => void;
  onCompare: (from: string, to: string) => void;
}) {
  const { rollback, action } = address;
  const pod = usePodOfDialog(address.pod, pods);
  const partition = useLastNonNull(
    address.action === 'partition' ? (address.partition ?? workload.partition) : null,
  );
  const opensControl = action !== null && (action !== 'deletePod' || pod !== undefined);
  const lastAction = useLastNonNull(opensControl ? action : null);
  const lastRollback = useLastNonNull(rollback);
  const onOpenChange = (open: boolean) => open || onClose();
  return (
    <>
      {lastRollback !== null && (
        <RollbackDialog
          workloadRef={workload}
          to={lastRollback === 'default' ? null : lastRollback}
          open={rollback !== null}
          onOpenChange={onOpenChange}
          onCompare={onCompare}
        />
      )}
      {lastAction !== null && (
        <ControlDialog
          workloadRef={workload}
          action={lastAction}
          pod={pod}
          partition={partition ?? undefined}
          open={opensControl}
          onOpenChange={onOpenChange}
        />
      )}
    </>
  );
}

/** The pod of the dialog as it was when the dialog was opened: its successor may have the same name. */
function usePodOfDialog(name: string | null, pods: readonly PodItem[]) {
  const [podOfDialog, setPodOfDialog] = useState<{ name: string; uid: string; group?: number }>();
  if (podOfDialog !== undefined && podOfDialog.name === name) return podOfDialog;
  const found = pods.find((pod) => pod.name === name);
  const pod = found && {
    name: found.name,
    uid: found.uid,
    ...(found.group && { group: found.group.index }),
  };
  if (pod !== undefined || (name === null && podOfDialog !== undefined)) setPodOfDialog(pod);
  return pod;
}

/** The last value that was not null: a closing dialog still shows its content. */
function useLastNonNull<Value>(value: Value | null): Value | null {
  const [last, setLast] = useState(value);
  if (value !== null && value !== last) setLast(value);
  return value ?? last;
}
