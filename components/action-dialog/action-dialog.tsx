'use client';

import { useState } from 'react';
import { ActionProgressDialog } from '@/components/action-dialog/action-progress';
import { type ControlAction, ControlForm } from '@/components/action-dialog/control';
import { followAction } from '@/components/action-dialog/followed-action';
import type { OnCompare, RollbackAction, RollbackForm } from '@/components/action-dialog/rollback';
import { useOpening } from '@/components/action-dialog/use-opening';
import type { WorkloadRef } from '@/components/queries/workload-ref';
import type { ActionAnswer } from '@/lib/api/actions';

/** An accepted action: the dialog opens with its progress. */
interface FollowedAction {
  kind: 'follow';
  object: WorkloadRef;
  actionId: string;
}

export type WorkloadAction = RollbackAction | ControlAction | FollowedAction;

export interface ActionDialogProps {
  action: WorkloadAction;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Where the action is a rollback, or can be undone by one. */
  RollbackForm?: typeof RollbackForm;
  onCompare?: OnCompare;
  /** Opened from the progress of another action, which goes on being shown. */
  within?: boolean;
}

/**
 * An action on a workload from its plan to the last pod: what changes, what will happen, checks, dry run, reason, confirm; then the
 * progress, with an undo. Every opening starts with fresh state. Load it lazily.
 */
export function ActionDialog(props: ActionDialogProps) {
  const opening = useOpening(props.open);
  return opening === 0 ? null : <OpenedDialog key={`${opening} ${nameOf(props.action)}`} {...props} />;
}

function nameOf(action: WorkloadAction): string {
  return 'name' in action ? `${action.kind} ${action.name}` : action.kind;
}

function OpenedDialog(props: ActionDialogProps) {
  const { action: opened, open, onOpenChange, RollbackForm, onCompare, within = false } = props;
  const [next, setNext] = useState<WorkloadAction | null>(null);
  const action = next ?? opened;
  const { object } = action;

  function accepted({ result }: ActionAnswer) {
    if (!result) return;
    if (!within) followAction(object, result.actionId);
    // An action that ends at once needs no dialog to follow it.
    if (within || (action.kind === 'control' && result.state === 'done')) onOpenChange(false);
    else setNext({ kind: 'follow', object, actionId: result.actionId });
  }

  const dialog = { open, onOpenChange, onAnswer: accepted };
  switch (action.kind) {
    case 'rollback':
      return RollbackForm && <RollbackForm action={action} onCompare={onCompare} {...dialog} />;
    case 'control':
      return <ControlForm action={action} {...dialog} />;
    case 'follow':
      return (
        <ActionProgressDialog
          actionId={action.actionId}
          open={open}
          onOpenChange={onOpenChange}
          onUndo={(to) => setNext({ kind: 'rollback', object, to, isUndo: true })}
          onRelease={() => setNext({ kind: 'control', object, name: 'releaseFields' })}
          renderPodDeletion={(pod, deletion) => (
            <ActionDialog action={{ kind: 'control', object, name: 'deletePod', pod }} {...deletion} within />
          )}
        />
      );
    default:
      return action satisfies never;
  }
}
