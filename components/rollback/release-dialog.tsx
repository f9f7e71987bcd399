'use client';

import { useState } from 'react';
import { followAction } from '@/components/rollback/followed-action';
import { ReleaseForm, type ReleaseDialogProps } from '@/components/rollback/release-form';
import { type ActionAnswer } from '@/lib/api/actions';

/**
 * Confirms one of the actions on a rollout like a rollback: plan, checks, dry run, reason, confirm. The page itself
 * shows the progress. Load it lazily.
 */
export function ReleaseDialog(props: ReleaseDialogProps) {
  const [opening, setOpening] = useState(0);
  const [wasOpen, setWasOpen] = useState(false);
  if (props.open !== wasOpen) {
    setWasOpen(props.open);
    if (props.open) setOpening(opening + 1);
  }

  function accepted({ result }: ActionAnswer) {
    if (!result) return;
    followAction(props.rollout, result.actionId);
    props.onOpenChange(false);
  }

  return opening === 0 ? null : <ReleaseForm key={opening} {...props} onAnswer={accepted} />;
}
