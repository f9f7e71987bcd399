'use client';

import { useState } from 'react';
import { ActionProgressDialog } from '@/components/action-dialog/action-progress';
import { type ControlAction, ControlForm } from '@/components/action-dialog/control';
import { followAction } from '@/components/action-dialog/followed-action';
import { type OnCompare, type RollbackAction, RollbackForm } from '@/components/action-dialog/rollback';
import { type RolloutAction, RolloutActionForm } from '@/components/action-dialog/rollout-action';
import { type WorkloadRef } from '@/components/queries/workload-ref';
import { type ActionAnswer } from '@/lib/api/actions';

/** An accepted action: the dialog opens with its progress. */
interface FollowedAction {
  kind: 'follow';
  object: WorkloadRef;
  actionId: string;
}

export type DialogAction = RollbackAction | ControlAction | RolloutAction | FollowedAction;

export interface ActionDialogProps {
  action: DialogAction;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onCompare?: OnCompare;
  /** Opened from the progress of another action, which goes on being shown. */
  within?: boolean;
}

/**
 * An action from its plan to the last pod: what changes, what will happen, checks, dry run, reason, confirm; then the
 * progress, with an undo. Every opening starts with fresh state. Load it lazily.
 */
export function ActionDialog(props: ActionDialogProps) {
  const [opening, setOpening] = useState(0);
  const [wasOpen, setWasOpen] = useState(false);
  if (props.open !== wasOpen) {
    setWasOpen(props.open);
    if (props.open) setOpening(opening + 1);
  }
  return opening === 0 ? null : <OpenedDialog key={`${opening} ${nameOf(props.action)}`} {...props} />;
}

function nameOf(action: DialogAction): string {
  return 'name' in action ? `${action.kind} ${action.name}` : action.kind;
}

function OpenedDialog({ action: opened, open, onOpenChange, onCompare, within = false }: ActionDialogProps) {
  const [next, setNext] = useState<DialogAction | null>(null);
  const action = next ?? opened;
  const { object } = action;

  function accepted({ result }: ActionAnswer) {
    if (!result) return;
    if (!within) followAction(object, result.actionId);
    if (within || isShownElsewhere(action, result)) onOpenChange(false);
    else setNext({ kind: 'follow', object, actionId: result.actionId });
  }

  const dialog = { open, onOpenChange, onAnswer: accepted };
  switch (action.kind) {
    case 'rollback':
      return <RollbackForm action={action} onCompare={onCompare} {...dialog} />;
    case 'control':
      return <ControlForm action={action} {...dialog} />;
    case 'rollout':
      return <RolloutActionForm action={action} {...dialog} />;
    case 'follow':
      return (
        <ActionProgressDialog
          actionId={action.actionId}
          open={open}
          onOpenChange={onOpenChange}
          onUndo={(to) => setNext({ kind: 'rollback', object, to })}
          renderPodDeletion={(pod, deletion) => (
            <ActionDialog action={{ kind: 'control', object, name: 'deletePod', pod }} {...deletion} within />
          )}
        />
      );
    default:
      return action satisfies never;
  }
}

/** The page of a rollout shows its progress itself, and an action that ends at once needs no dialog to follow it. */
function isShownElsewhere({ kind }: DialogAction, { state }: NonNullable<ActionAnswer['result']>): boolean {
  return kind === 'rollout' || (kind === 'control' && state === 'done');
}
