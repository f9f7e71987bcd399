'use client';

import { ActionDialog, type ActionDialogProps } from '@/components/action-dialog/action-dialog';
import { RollbackForm } from '@/components/action-dialog/rollback';

/** The dialog of an action with the form of a rollback: one script, since two would each bring what they share. */
export function RollbackDialog(props: ActionDialogProps) {
  return <ActionDialog {...props} RollbackForm={RollbackForm} />;
}
