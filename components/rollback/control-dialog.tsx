'use client';

import { useState } from 'react';
import { FollowDialog } from '@/components/rollback/action-progress';
import { ControlAsk } from '@/components/rollback/control-ask';
import { follow } from '@/components/rollback/followed';
import { type ActionAnswer } from '@/lib/api/actions';
import { type WorkloadRef } from '@/lib/queries/workload-ref';

export interface ControlDialogProps {
  workloadRef: WorkloadRef;
  action: 'pause' | 'resume' | 'restart' | 'partition' | 'deletePod';
  /** The pod to delete, as the viewer saw it; with the number of the group that goes and comes with it. */
  pod?: { name: string; uid: string; group?: number };
  /** The partition that the field starts with; the present one without it. */
  partition?: number;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Asked for on the way of another action: closes once accepted, since that one shows how it goes. */
  within?: boolean;
  /** Called once the action was accepted, with its id. */
  onAccepted?: (actionId: string) => void;
}

/** One of the small actions, asked in the manner of a rollback: plan, checks, dry run, reason, confirm. Load it lazily. */
export function ControlDialog(props: ControlDialogProps) {
  const [opening, setOpening] = useState(0);
  const [wasOpen, setWasOpen] = useState(false);
  if (props.open !== wasOpen) {
    setWasOpen(props.open);
    if (props.open) setOpening(opening + 1);
  }
  return opening === 0 ? null : <Opening key={opening} {...props} />;
}

function Opening(props: ControlDialogProps) {
  const { workloadRef, open, onOpenChange, within = false, onAccepted } = props;
  const [actionId, setActionId] = useState<string | null>(null);

  /** What is over at once needs no window to follow it. */
  function accepted({ result }: ActionAnswer) {
    if (!result) return;
    onAccepted?.(result.actionId);
    if (within) {
      onOpenChange(false);
    } else {
      follow(workloadRef, result.actionId);
      if (result.state === 'done') onOpenChange(false);
      else setActionId(result.actionId);
    }
  }

  if (actionId !== null) return <FollowDialog actionId={actionId} open={open} onOpenChange={onOpenChange} />;
  return <ControlAsk {...props} onAnswer={accepted} />;
}
