'use client';

import { useEffect, useEffectEvent, useState } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { actionTitle } from '@/components/action-dialog/action-title';
import { unfollowAction, useFollowedActionId } from '@/components/action-dialog/followed-action';
import { LazyActionDialog } from '@/components/action-dialog/lazy-action-dialog';
import { actionQuery, isEndUnknown } from '@/components/queries/action';
import { recordPagePath } from '@/components/queries/records';
import { rolloutKey, type RolloutRef } from '@/components/queries/rollouts';
import { workloadDetailQuery } from '@/components/queries/workload-detail';
import { workloadPagePath, type WorkloadRef } from '@/components/queries/workload-ref';
import { Button, ButtonLink, IconButton } from '@/components/ui/button';
import { useConnection } from '@/components/ui/connection';
import { Glyph, RingGlyph } from '@/components/ui/glyph';
import { RelativeTime } from '@/components/ui/time';
import { type RolloutActionName } from '@/lib/api/action-values';
import { type Action } from '@/lib/api/action';
import { type RolloutDetail } from '@/lib/api/rollouts';
import { type WorkloadDetail } from '@/lib/api/workloads';
import { isAtOrAfter } from '@/lib/records/times';
import { actionLabels } from '@/lib/rollout/action-labels';

/** The last action that was confirmed for this workload in this tab, as a muted band; nothing without one. */
export function FollowedStrip({ workloadRef }: { workloadRef: WorkloadRef }) {
  const actionId = useFollowedActionId(workloadRef);
  return actionId === null ? null : <WorkloadStrip workloadRef={workloadRef} actionId={actionId} />;
}

function WorkloadStrip({ workloadRef, actionId }: { workloadRef: WorkloadRef; actionId: string }) {
  const { stale } = useConnection();
  const workload = useQuery(workloadDetailQuery(workloadRef)).data?.workload;
  const { data: action } = useQuery(actionQuery(actionId));
  const [isShown, setShown] = useState(false);
  const undo = undoOf(action, (name) => workload?.controls.find((one) => one.action === name)?.enabled);
  return (
    <>
      {action && (
        <ActionStrip
          object={workloadRef}
          action={action}
          recordId={recordOf(action, workload)}
          onShow={() => setShown(true)}
        >
          {undo !== null && !stale && (
            <ButtonLink
              size="small"
              tone="quiet"
              glyph="back"
              href={workloadPagePath(workloadRef, `?action=${undo}`)}
            >
              Undo: {undo}…
            </ButtonLink>
          )}
        </ActionStrip>
      )}
      {/* Stays mounted when the action becomes another one: an undo is confirmed and followed in the same dialog. */}
      <LazyActionDialog
        action={isShown ? { kind: 'follow', object: workloadRef, actionId } : null}
        onClose={() => setShown(false)}
      />
    </>
  );
}

/** The last action that was confirmed for this rollout in this tab; nothing without one. */
export function RolloutStrip({
  rollout,
  detail,
  onAction,
}: {
  rollout: RolloutRef;
  detail: RolloutDetail;
  onAction: (action: RolloutActionName) => void;
}) {
  const actionId = useFollowedActionId(rollout);
  const { data: action } = useQuery({ ...actionQuery(actionId ?? ''), enabled: actionId !== null });
  useRefetchOnProgress(action, rollout);
  if (actionId === null || action === undefined) return null;
  const undo = undoOf(action, (name) => detail.rollout.actions.find((one) => one.name === name)?.allowed);
  return (
    <ActionStrip object={rollout} action={action} recordId={detail.record?.id ?? null}>
      {undo !== null && (
        <Button size="small" tone="quiet" glyph="back" onClick={() => onAction(undo)}>
          Undo: {actionLabels[undo].toLowerCase()}…
        </Button>
      )}
    </ActionStrip>
  );
}

/** Status of an action in one line of its object's page, with links to the undo and to the record. */
function ActionStrip({
  object,
  action,
  recordId,
  onShow,
  children,
}: {
  object: WorkloadRef;
  action: Action;
  /** Of the rollout that it began or acted on. */
  recordId: string | null;
  /** Opens the dialog with the details. */
  onShow?: () => void;
  /** The undo. */
  children: React.ReactNode;
}) {
  const title = actionTitle(action);
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-2.5 gap-y-1 rounded-3 border border-line bg-surface py-1 pr-1 pl-3">
      <StateGlyph action={action} />
      <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <span role="status">
          <b>{title}</b> <span className="text-ink-2">{action.message}</span>
        </span>
        <span className="ml-2 text-small text-ink-3">
          <RelativeTime iso={action.endedAt ?? action.startedAt} suffix="ago" />
        </span>
      </span>
      {children}
      {recordId !== null && (
        <ButtonLink size="small" tone="quiet" href={recordPagePath(recordId)}>
          Record
        </ButtonLink>
      )}
      {onShow && (
        <Button size="small" tone="quiet" aria-label={`Show: ${title}`} onClick={onShow}>
          Show
        </Button>
      )}
      <IconButton glyph="close" label="Hide this" onClick={() => unfollowAction(object)} />
    </div>
  );
}

function StateGlyph({ action }: { action: Action }) {
  const { state, progress } = action;
  if (isEndUnknown(action)) return <Glyph name="unknown" className="text-unknown" />;
  switch (state) {
    case 'accepted':
    case 'following': {
      const share = progress && progress.desired > 0 ? progress.ready / progress.desired : 0.3;
      return <RingGlyph share={share} className="text-rolling" />;
    }
    case 'done':
      return <Glyph name="complete" className="text-complete" />;
    case 'failed':
    case 'refused':
      return <Glyph name="stuck" className="text-stuck" />;
    default:
      return state satisfies never;
  }
}

/** The inverse of an action; a rollback has its own in the dialog. An approval has none: roll back what it started. */
const undoActions: Readonly<Partial<Record<Action['action'], Undo>>> = {
  pause: 'resume',
  resume: 'pause',
  abort: 'retry',
  disable: 'enable',
  enable: 'disable',
};
type Undo = 'resume' | 'pause' | 'retry' | 'enable' | 'disable';

/** The inverse of a finished action, where the object allows it now. */
function undoOf(action: Action | undefined, isAllowed: (undo: Undo) => boolean | undefined): Undo | null {
  const undo = action?.state === 'done' ? undoActions[action.action] : undefined;
  return undo !== undefined && isAllowed(undo) === true ? undo : null;
}

/** Id of the record of the rollout that it began or acted on. */
function recordOf(
  { action, startedAt }: Action,
  workload: WorkloadDetail['workload'] | undefined,
): string | null {
  const record = workload?.lastRollout?.record ?? null;
  if (record === null) return null;
  const begins = action === 'rollback' || action === 'restart';
  const reached = begins ? record.startedAt : (record.endedAt ?? startedAt);
  return reached !== null && isAtOrAfter(reached, startedAt) ? record.id : null;
}

/** The action is polled, the rollout is streamed: a change of one must refetch the other. */
function useRefetchOnProgress(action: Action | undefined, rollout: RolloutRef): void {
  const client = useQueryClient();
  const refresh = useEffectEvent(() => void client.invalidateQueries({ queryKey: rolloutKey(rollout) }));
  const moment = action && [action.state, action.message].join(' ');
  useEffect(() => {
    if (moment !== undefined) refresh();
  }, [moment]);
}
