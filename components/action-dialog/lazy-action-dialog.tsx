'use client';

import { useState } from 'react';
import type { ActionDialogProps, WorkloadAction } from '@/components/action-dialog/action-dialog';
import type { ChosenRolloutAction } from '@/components/action-dialog/rollout-action';
import { DialogSequence } from '@/components/ui/final-focus';
import { lazily } from '@/components/ui/lazily';

const ActionDialog = lazily(
  async () => (await import('@/components/action-dialog/action-dialog')).ActionDialog,
);
/** The dialog of a rollback, and of an action that can be undone by one: no other loads the form of a rollback. */
const RollbackDialog = lazily(
  async () => (await import('@/components/action-dialog/rollback-dialog')).RollbackDialog,
);
const RolloutActionDialog = lazily(
  async () => (await import('@/components/action-dialog/rollout-action')).RolloutActionDialog,
);

/**
 * The dialog of an action, closed while there is none. Loaded with the first one that is opened; a closing dialog
 * still shows its content.
 */
export function LazyActionDialog(props: LazyActionDialogProps) {
  return (
    <DialogSequence open={props.action !== null}>
      <LastAction {...props} />
    </DialogSequence>
  );
}

interface LazyActionDialogProps {
  action: WorkloadAction | ChosenRolloutAction | null;
  onClose: () => void;
  onCompare?: ActionDialogProps['onCompare'];
}

function LastAction({ action, onClose, onCompare }: LazyActionDialogProps) {
  const [last, setLast] = useState(action);
  if (action !== null && JSON.stringify(action) !== JSON.stringify(last)) setLast(action);
  const shown = action ?? last;
  const dialog = { open: action !== null, onOpenChange: (open: boolean) => open || onClose() };
  if (shown === null) return null;
  switch (shown.kind) {
    case 'rollout':
      return <RolloutActionDialog action={shown} {...dialog} />;
    case 'control':
      return <ActionDialog action={shown} {...dialog} />;
    case 'rollback':
    case 'follow':
      return <RollbackDialog action={shown} onCompare={onCompare} {...dialog} />;
    default:
      return shown satisfies never;
  }
}
