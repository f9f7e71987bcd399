'use client';

import dynamic from 'next/dynamic';
import { useState } from 'react';
import { type RolloutRef } from '@/components/queries/rollouts';
import { type RolloutActionName } from '@/lib/api/action-values';

const ReleaseDialog = dynamic(
  async () => (await import('@/components/rollback/release-dialog')).ReleaseDialog,
  { ssr: false },
);

/** The dialog of the address; loaded with the first one that is opened. */
export function RolloutDialogs({
  rollout,
  action,
  onClose,
}: {
  rollout: RolloutRef;
  action: RolloutActionName | null;
  onClose: () => void;
}) {
  // A closing dialog still shows its content.
  const [last, setLast] = useState(action);
  if (action !== null && action !== last) setLast(action);
  return (
    last !== null && (
      <ReleaseDialog
        rollout={rollout}
        action={last}
        open={action !== null}
        onOpenChange={(open) => open || onClose()}
      />
    )
  );
}
