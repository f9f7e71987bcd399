'use client';

import dynamic from 'next/dynamic';
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { unfollow, useFollowed } from '@/components/rollback/followed';
import { stripTitle } from '@/components/rollback/strip-title';
import { Button, IconButton } from '@/components/ui/button';
import { Glyph, RingGlyph } from '@/components/ui/glyph';
import { RelativeTime } from '@/components/ui/time';
import { type Action } from '@/lib/api/actions';
import { actionQuery } from '@/lib/queries/action';
import { type WorkloadRef } from '@/lib/queries/workload-ref';

const RollbackDialog = dynamic(
  async () => (await import('@/components/rollback/rollback-dialog')).RollbackDialog,
  { ssr: false },
);

/** The action that was confirmed last for this workload in this tab, as a quiet strip; nothing without one. */
export function FollowedStrip({ workloadRef }: { workloadRef: WorkloadRef }) {
  const actionId = useFollowed(workloadRef);
  return actionId === null ? null : <ActionStrip actionId={actionId} />;
}

/** How an action goes, in one line of the workload's page; opens the whole story. */
export function ActionStrip({ actionId }: { actionId: string }) {
  const { data: action } = useQuery(actionQuery(actionId));
  const [shown, setShown] = useState<WorkloadRef | null>(null);
  const [open, setOpen] = useState(false);
  return (
    <>
      {action && (
        <Line
          action={action}
          onShow={() => {
            setShown(workloadOf(action));
            setOpen(true);
          }}
        />
      )}
      {/* Stays when the action becomes another one: an undo is asked and followed in the same dialog. */}
      {shown && (
        <RollbackDialog
          workloadRef={shown}
          to={null}
          following={actionId}
          open={open}
          onOpenChange={setOpen}
        />
      )}
    </>
  );
}

function Line({ action, onShow }: { action: Action; onShow: () => void }) {
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-2.5 gap-y-1 rounded-3 border border-line bg-surface py-1 pr-1 pl-3">
      <StateMark action={action} />
      <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <span role="status">
          <b>{stripTitle(action)}</b> <span className="text-ink-2">{action.message}</span>
        </span>
        <span className="ml-2 text-small text-ink-3">
          <RelativeTime iso={action.endedAt ?? action.startedAt} suffix="ago" />
        </span>
      </span>
      <Button size="small" tone="quiet" aria-label={`Show: ${stripTitle(action)}`} onClick={onShow}>
        Show
      </Button>
      <IconButton glyph="close" label="Hide this" onClick={() => unfollow(workloadOf(action))} />
    </div>
  );
}

function workloadOf({ resource, namespace, name }: Action): WorkloadRef {
  return { resource, namespace, name };
}

function StateMark({ action }: { action: Action }) {
  switch (action.state) {
    case 'accepted':
    case 'following':
      return <RingGlyph share={shareOf(action)} className="text-rolling" />;
    case 'done':
      return <Glyph name="complete" className="text-complete" />;
    case 'failed':
    case 'refused':
      return <Glyph name="stuck" className="text-stuck" />;
    default:
      return action.state satisfies never;
  }
}

function shareOf({ progress }: Action): number {
  return progress && progress.desired > 0 ? progress.ready / progress.desired : 0.1;
}
