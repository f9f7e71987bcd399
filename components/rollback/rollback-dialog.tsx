'use client';

import { useState } from 'react';
import { FollowDialog } from '@/components/rollback/action-progress';
import { BlockingPod } from '@/components/rollback/blocking-pod';
import { follow } from '@/components/rollback/followed';
import { RollbackAsk } from '@/components/rollback/rollback-ask';
import { type Foreign } from '@/components/rollback/workload-view';
import { type WorkloadRef } from '@/lib/queries/workload-ref';

interface RollbackDialogProps {
  workloadRef: WorkloadRef;
  /** Id of the revision to go back to; null for the one that is offered first. */
  to: string | null;
  /** What `to` stands for where the workload's own history does not have it. */
  foreign?: Foreign;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Shows the comparison instead of a link to it. */
  onCompare?: (from: string, to: string) => void;
  /** An action that was accepted before: opens with how it goes instead of the question. */
  following?: string;
  /** Called once a rollback was accepted, with the id of the action to follow. */
  onAccepted?: (actionId: string) => void;
}

/**
 * A rollback from the question to the last pod: what changes, what will happen, checks, dry run, reason, confirm; then
 * the way it goes, with a way to undo it. Every opening starts anew. Load it lazily.
 */
export function RollbackDialog(props: RollbackDialogProps) {
  const [opening, setOpening] = useState(0);
  const [wasOpen, setWasOpen] = useState(false);
  if (props.open !== wasOpen) {
    setWasOpen(props.open);
    if (props.open) setOpening(opening + 1);
  }
  return opening === 0 ? null : <Opening key={opening} {...props} />;
}

type Stage =
  { kind: 'ask'; to: string | null; round: number } | { kind: 'follow'; actionId: string; round: number };

function Opening({
  workloadRef,
  to,
  foreign,
  following,
  open,
  onOpenChange,
  onCompare,
  onAccepted,
}: RollbackDialogProps) {
  const [stage, setStage] = useState<Stage>(
    following === undefined
      ? { kind: 'ask', to, round: 0 }
      : { kind: 'follow', actionId: following, round: 0 },
  );
  switch (stage.kind) {
    case 'ask':
      return (
        <RollbackAsk
          key={stage.round}
          workload={workloadRef}
          to={stage.to}
          foreign={foreign}
          open={open}
          onOpenChange={onOpenChange}
          onCompare={onCompare}
          onAccepted={(actionId) => {
            follow(workloadRef, actionId);
            onAccepted?.(actionId);
            setStage({ kind: 'follow', actionId, round: stage.round + 1 });
          }}
        />
      );
    case 'follow':
      return (
        <FollowDialog
          actionId={stage.actionId}
          open={open}
          onOpenChange={onOpenChange}
          secondStep={(detail, pods) => <BlockingPod detail={detail} pods={pods} />}
          onUndo={(target) => setStage({ kind: 'ask', to: target, round: stage.round + 1 })}
        />
      );
    default:
      return stage satisfies never;
  }
}
