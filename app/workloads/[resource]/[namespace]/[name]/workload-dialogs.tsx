'use client';

import dynamic from 'next/dynamic';
import { useState } from 'react';
import { type WorkloadDetail } from '@/lib/api/workloads';
import { type PodItem } from '@/lib/api/workloads';
import { type Address } from './use-address';

const RollbackDialog = dynamic(
  async () => (await import('@/components/rollback/rollback-dialog')).RollbackDialog,
  { ssr: false },
);
const ControlDialog = dynamic(
  async () => (await import('@/components/rollback/control-dialog')).ControlDialog,
  { ssr: false },
);

/** The dialog that the address asks for; loaded with the first one that is opened. */
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
  const pod = useAskedPod(address.pod, pods);
  const partition = useLast(
    address.action === 'partition' ? (address.partition ?? workload.partition) : null,
  );
  const wantsControl = action !== null && (action !== 'deletePod' || pod !== undefined);
  const lastAction = useLast(wantsControl ? action : null);
  const lastRollback = useLast(rollback);
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
          open={wantsControl}
          onOpenChange={onOpenChange}
        />
      )}
    </>
  );
}

/** The pod that is asked about, as it was when that began: when it goes, one of its name may come. */
function useAskedPod(name: string | null, pods: readonly PodItem[]) {
  const [asked, setAsked] = useState<{ name: string; uid: string; group?: number }>();
  if (asked !== undefined && asked.name === name) return asked;
  const found = pods.find((pod) => pod.name === name);
  const pod = found && {
    name: found.name,
    uid: found.uid,
    ...(found.group && { group: found.group.index }),
  };
  if (pod !== undefined || (name === null && asked !== undefined)) setAsked(pod);
  return pod;
}

/** The last value that was not null: a dialog that closes still shows what it was about. */
function useLast<Value>(value: Value | null): Value | null {
  const [last, setLast] = useState(value);
  if (value !== null && value !== last) setLast(value);
  return value ?? last;
}
