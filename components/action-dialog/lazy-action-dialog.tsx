'use client';

import dynamic from 'next/dynamic';
import { useState } from 'react';
import { type ActionDialogProps, type WorkloadAction } from '@/components/action-dialog/action-dialog';
import { type RolloutAction } from '@/components/action-dialog/rollout-action';

const ActionDialog = dynamic(
  async () => (await import('@/components/action-dialog/action-dialog')).ActionDialog,
  { ssr: false },
);
const RolloutActionDialog = dynamic(
  async () => (await import('@/components/action-dialog/rollout-action')).RolloutActionDialog,
  { ssr: false },
);

/**
 * The dialog of an action, closed while there is none. Loaded with the first one that is opened; a closing dialog
 * still shows its content.
 */
export function LazyActionDialog({
  action,
  onClose,
  onCompare,
}: {
  action: WorkloadAction | RolloutAction | null;
  onClose: () => void;
  onCompare?: ActionDialogProps['onCompare'];
}) {
  const [last, setLast] = useState(action);
  if (action !== null && JSON.stringify(action) !== JSON.stringify(last)) setLast(action);
  const shown = action ?? last;
  const dialog = { open: action !== null, onOpenChange: (open: boolean) => open || onClose() };
  if (shown === null) return null;
  return shown.kind === 'rollout' ? (
    <RolloutActionDialog action={shown} {...dialog} />
  ) : (
    <ActionDialog action={shown} onCompare={onCompare} {...dialog} />
  );
}
