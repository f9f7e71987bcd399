'use client';

import dynamic from 'next/dynamic';
import { useState } from 'react';
import { type ActionDialogProps } from '@/components/action-dialog/action-dialog';

const ActionDialog = dynamic(
  async () => (await import('@/components/action-dialog/action-dialog')).ActionDialog,
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
  action: ActionDialogProps['action'] | null;
  onClose: () => void;
  onCompare?: ActionDialogProps['onCompare'];
}) {
  const [last, setLast] = useState(action);
  if (action !== null && JSON.stringify(action) !== JSON.stringify(last)) setLast(action);
  const shown = action ?? last;
  return (
    shown !== null && (
      <ActionDialog
        action={shown}
        open={action !== null}
        onOpenChange={(open) => open || onClose()}
        onCompare={onCompare}
      />
    )
  );
}
