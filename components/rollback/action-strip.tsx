'use client';

import dynamic from 'next/dynamic';
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { unfollowAction, useFollowedActionId } from '@/components/rollback/followed-action';
import { stripTitle } from '@/components/rollback/strip-title';
import { Button, ButtonLink, IconButton } from '@/components/ui/button';
import { useConnection } from '@/components/ui/connection';
import { Glyph, RingGlyph } from '@/components/ui/glyph';
import { RelativeTime } from '@/components/ui/time';
import { type Action } from '@/lib/api/action';
import { type WorkloadDetail } from '@/lib/api/workloads';
import { isAtOrAfter } from '@/lib/records/times';
import { actionQuery, isEndUnknown } from '@/components/queries/action';
import { recordPagePath } from '@/components/queries/records';
import { workloadDetailQuery } from '@/components/queries/workload-detail';
import { workloadPagePath, type WorkloadRef } from '@/components/queries/workload-ref';

type Workload = WorkloadDetail['workload'];

const RollbackDialog = dynamic(
  async () => (await import('@/components/rollback/rollback-dialog')).RollbackDialog,
  { ssr: false },
);

/** The last action that was confirmed for this workload in this tab, as a muted band; nothing without one. */
export function FollowedStrip({ workloadRef }: { workloadRef: WorkloadRef }) {
  const actionId = useFollowedActionId(workloadRef);
  return actionId === null ? null : <ActionStrip workload={workloadRef} actionId={actionId} />;
}

/** Status of an action in one line of the workload's page; opens the dialog with the details. */
function ActionStrip({ workload, actionId }: { workload: WorkloadRef; actionId: string }) {
  const { data: detail } = useQuery(workloadDetailQuery(workload));
  const { data: action } = useQuery(actionQuery(actionId));
  const [shown, setShown] = useState<WorkloadRef | null>(null);
  const [open, setOpen] = useState(false);
  return (
    <>
      {action && (
        <ActionLine
          action={action}
          workload={detail?.workload}
          onShow={() => {
            setShown(workloadOf(action));
            setOpen(true);
          }}
        />
      )}
      {/* Stays mounted when the action becomes another one: an undo is confirmed and followed in the same dialog. */}
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

function ActionLine({
  action,
  workload,
  onShow,
}: {
  action: Action;
  workload: Workload | undefined;
  onShow: () => void;
}) {
  const { stale } = useConnection();
  const undo = stale ? null : undoOf(action, workload);
  const record = recordOf(action, workload);
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-2.5 gap-y-1 rounded-3 border border-line bg-surface py-1 pr-1 pl-3">
      <ActionStateGlyph action={action} />
      <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <span role="status">
          <b>{stripTitle(action)}</b> <span className="text-ink-2">{action.message}</span>
        </span>
        <span className="ml-2 text-small text-ink-3">
          <RelativeTime iso={action.endedAt ?? action.startedAt} suffix="ago" />
        </span>
      </span>
      {undo !== null && (
        <ButtonLink
          size="small"
          tone="quiet"
          glyph="back"
          href={workloadPagePath(workloadOf(action), `?action=${undo}`)}
        >
          Undo: {undo}…
        </ButtonLink>
      )}
      {record !== null && (
        <ButtonLink size="small" tone="quiet" href={recordPagePath(record)}>
          Record
        </ButtonLink>
      )}
      <Button size="small" tone="quiet" aria-label={`Show: ${stripTitle(action)}`} onClick={onShow}>
        Show
      </Button>
      <IconButton glyph="close" label="Hide this" onClick={() => unfollowAction(workloadOf(action))} />
    </div>
  );
}

/** The inverse of a small action; the undo of a rollback has its own dialog with its plan. */
function undoOf({ action, state }: Action, workload: Workload | undefined): 'pause' | 'resume' | null {
  const undo = action === 'pause' ? 'resume' : action === 'resume' ? 'pause' : null;
  const isPossible = workload?.controls.some((control) => control.action === undo && control.enabled);
  return state === 'done' && isPossible === true ? undo : null;
}

/** Id of the record of the rollout that it began or acted on. */
function recordOf({ action, startedAt }: Action, workload: Workload | undefined): string | null {
  const record = workload?.lastRollout?.record ?? null;
  if (record === null) return null;
  const begins = action === 'rollback' || action === 'restart';
  const reached = begins ? record.startedAt : (record.endedAt ?? startedAt);
  return reached !== null && isAtOrAfter(reached, startedAt) ? record.id : null;
}

function workloadOf({ resource, namespace, name }: Action): WorkloadRef {
  return { resource, namespace, name };
}

function ActionStateGlyph({ action }: { action: Action }) {
  if (isEndUnknown(action)) return <Glyph name="unknown" className="text-unknown" />;
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
