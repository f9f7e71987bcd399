'use client';

import { useState } from 'react';
import { ActionProgressDialog } from '@/components/rollback/action-progress';
import { BlockingPod } from '@/components/rollback/blocking-pod';
import { followAction } from '@/components/rollback/followed-action';
import { RollbackForm } from '@/components/rollback/rollback-form';
import { type IncarnationRevision } from '@/components/rollback/rollback-targets';
import { type WorkloadRef } from '@/components/queries/workload-ref';

interface RollbackDialogProps {
  workloadRef: WorkloadRef;
  /** Id of the revision to roll back to; null for the default. */
  to: string | null;
  /** The revision of `to` where the workload's own history does not have it. */
  foreign?: IncarnationRevision;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Shows the comparison instead of a link to it. */
  onCompare?: (from: string, to: string) => void;
  /** An accepted action: opens with its progress instead of the form. */
  following?: string;
  /** Called once a rollback was accepted, with the id of the action to follow. */
  onAccepted?: (actionId: string) => void;
}

/**
 * A rollback from the form to the last pod: what changes, what will happen, checks, dry run, reason, confirm; then
 * the progress, with an undo. Every opening starts with fresh state. Load it lazily.
 */
export function RollbackDialog(props: RollbackDialogProps) {
  const [opening, setOpening] = useState(0);
  const [wasOpen, setWasOpen] = useState(false);
  if (props.open !== wasOpen) {
    setWasOpen(props.open);
    if (props.open) setOpening(opening + 1);
  }
  return opening === 0 ? null : <OpenedDialog key={opening} {...props} />;
}

type DialogView =
  { kind: 'ask'; to: string | null; round: number } | { kind: 'follow'; actionId: string; round: number };

function OpenedDialog({
  workloadRef,
  to,
  foreign,
  following,
  open,
  onOpenChange,
  onCompare,
  onAccepted,
}: RollbackDialogProps) {
  const [view, setView] = useState<DialogView>(
    following === undefined
      ? { kind: 'ask', to, round: 0 }
      : { kind: 'follow', actionId: following, round: 0 },
  );
  switch (view.kind) {
    case 'ask':
      return (
        <RollbackForm
          key={view.round}
          workload={workloadRef}
          to={view.to}
          foreign={foreign}
          open={open}
          onOpenChange={onOpenChange}
          onCompare={onCompare}
          onAccepted={(actionId) => {
            followAction(workloadRef, actionId);
            onAccepted?.(actionId);
            setView({ kind: 'follow', actionId, round: view.round + 1 });
          }}
        />
      );
    case 'follow':
      return (
        <ActionProgressDialog
          actionId={view.actionId}
          open={open}
          onOpenChange={onOpenChange}
          secondStep={(detail, pods) => <BlockingPod detail={detail} pods={pods} />}
          onUndo={(target) => setView({ kind: 'ask', to: target, round: view.round + 1 })}
        />
      );
    default:
      return view satisfies never;
  }
}
