'use client';

import { useState } from 'react';
import { LazyActionDialog } from '@/components/action-dialog/lazy-action-dialog';
import type { PodItem } from '@/lib/api/pods';
import type { WorkloadDetail } from '@/lib/api/workloads';
import type { Address } from './use-address';

/** The dialog of the address. */
export function WorkloadDialogs({
  workload: { cluster, resource, namespace, name, partition },
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
  const object = { cluster, resource, namespace, name };
  const pod = usePodOfDialog(address.pod, pods);
  return <LazyActionDialog action={actionOf()} onClose={onClose} onCompare={onCompare} />;

  function actionOf() {
    const { rollback, action } = address;
    if (rollback !== null)
      return { kind: 'rollback', object, to: rollback === 'default' ? null : rollback } as const;
    switch (action) {
      case null:
        return null;
      case 'deletePod':
        return pod === undefined ? null : ({ kind: 'control', object, name: action, pod } as const);
      case 'partition': {
        const initial = address.partition ?? partition ?? undefined;
        return { kind: 'control', object, name: action, partition: initial } as const;
      }
      default:
        return { kind: 'control', object, name: action } as const;
    }
  }
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
