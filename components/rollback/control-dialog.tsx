'use client';

import { useState } from 'react';
import { ActionProgressDialog } from '@/components/rollback/action-progress';
import { ControlForm, type ControlDialogProps } from '@/components/rollback/control-form';
import { followAction } from '@/components/rollback/followed-action';
import { type ActionAnswer } from '@/lib/api/actions';

/** Confirms one of the small actions like a rollback: plan, checks, dry run, reason, confirm. Load it lazily. */
export function ControlDialog(props: ControlDialogProps) {
  const [opening, setOpening] = useState(0);
  const [wasOpen, setWasOpen] = useState(false);
  if (props.open !== wasOpen) {
    setWasOpen(props.open);
    if (props.open) setOpening(opening + 1);
  }
  return opening === 0 ? null : <OpenedDialog key={opening} {...props} />;
}

function OpenedDialog(props: ControlDialogProps) {
  const { workloadRef, open, onOpenChange, within = false, onAccepted } = props;
  const [actionId, setActionId] = useState<string | null>(null);

  /** An action that ends at once needs no dialog to follow it. */
  function accepted({ result }: ActionAnswer) {
    if (!result) return;
    onAccepted?.(result.actionId);
    if (within) {
      onOpenChange(false);
    } else {
      followAction(workloadRef, result.actionId);
      if (result.state === 'done') onOpenChange(false);
      else setActionId(result.actionId);
    }
  }

  if (actionId !== null)
    return <ActionProgressDialog actionId={actionId} open={open} onOpenChange={onOpenChange} />;
  return <ControlForm {...props} onAnswer={accepted} />;
}
