'use client';

import dynamic from 'next/dynamic';
import { useState } from 'react';
import { type RolloutRef } from '@/lib/queries/rollouts';
import { type RolloutActionName } from '@/lib/rollout/rollout';

const ReleaseDialog = dynamic(
  async () => (await import('@/components/rollback/release-dialog')).ReleaseDialog,
  { ssr: false },
);

/** The dialog that the address asks for; loaded with the first one that is opened. */
export function ReleaseDialogs({
  rollout,
  action,
  onClose,
}: {
  rollout: RolloutRef;
  action: RolloutActionName | null;
  onClose: () => void;
}) {
  // A dialog that closes still shows what it was about.
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
