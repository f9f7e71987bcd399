'use client';

import { useState } from 'react';
import { follow } from '@/components/rollback/followed';
import { ReleaseAsk } from '@/components/rollback/release-ask';
import { type ActionAnswer } from '@/lib/api/actions';
import { type RolloutRef } from '@/lib/queries/rollouts';
import { type RolloutActionName } from '@/lib/rollout/rollout';

export interface ReleaseDialogProps {
  rollout: RolloutRef;
  action: RolloutActionName;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/**
 * One of the actions on a release, asked in the manner of a rollback: plan, checks, dry run, reason, confirm. The page
 * itself shows how it goes on. Load it lazily.
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
    follow(props.rollout, result.actionId);
    props.onOpenChange(false);
  }

  return opening === 0 ? null : <ReleaseAsk key={opening} {...props} onAnswer={accepted} />;
}
