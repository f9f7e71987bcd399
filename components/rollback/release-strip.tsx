'use client';

import { useEffect, useEffectEvent } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { unfollowAction, useFollowedActionId } from '@/components/rollback/followed-action';
import { stripTitle } from '@/components/rollback/strip-title';
import { Button, ButtonLink, IconButton } from '@/components/ui/button';
import { Glyph, RingGlyph } from '@/components/ui/glyph';
import { RelativeTime } from '@/components/ui/time';
import { type Action } from '@/lib/api/action';
import { type RolloutDetail } from '@/lib/api/rollouts';
import { actionQuery, isEndUnknown } from '@/components/queries/action';
import { rolloutKey, type RolloutRef } from '@/components/queries/rollouts';
import { actionLabel } from '@/lib/rollout/action-labels';
import { type RolloutActionName } from '@/lib/api/action-values';

interface ReleaseStripProps {
  rollout: RolloutRef;
  detail: RolloutDetail;
  onAction: (action: RolloutActionName) => void;
}

/**
 * Status of the last action that was confirmed for this rollout in this tab, in one line, with links to the record of
 * the rollout and to the undo; nothing without one.
 */
export function ReleaseStrip(props: ReleaseStripProps) {
  const actionId = useFollowedActionId(props.rollout);
  return actionId === null ? null : <Strip key={actionId} {...props} actionId={actionId} />;
}

/** The inverse of an action. An approval has none: roll back what it started. */
const undoActions: Readonly<Partial<Record<Action['action'], RolloutActionName>>> = {
  pause: 'resume',
  resume: 'pause',
  abort: 'retry',
  disable: 'enable',
  enable: 'disable',
};

function Strip({ actionId, rollout, detail, onAction }: ReleaseStripProps & { actionId: string }) {
  const { data: action } = useQuery(actionQuery(actionId));
  useRefetchOnProgress(action, rollout);
  if (action === undefined) return null;
  const title = stripTitle(action);
  const undo = action.state === 'done' ? undoActions[action.action] : undefined;
  const isPossible = detail.rollout.actions.some(({ name, allowed }) => name === undo && allowed);
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-2.5 gap-y-1 rounded-3 border border-line bg-surface py-1 pr-1 pl-3">
      <ActionStateGlyph action={action} />
      <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <span role="status">
          <b>{title}</b> <span className="text-ink-2">{action.message}</span>
        </span>
        <span className="ml-2 text-small text-ink-3">
          <RelativeTime iso={action.endedAt ?? action.startedAt} suffix="ago" />
        </span>
      </span>
      {undo !== undefined && isPossible && (
        <Button size="small" tone="quiet" glyph="back" onClick={() => onAction(undo)}>
          Undo: {actionLabel(detail.rollout, undo).toLowerCase()}…
        </Button>
      )}
      {detail.record !== null && (
        <ButtonLink size="small" tone="quiet" href={`/records/${encodeURIComponent(detail.record.id)}`}>
          Record
        </ButtonLink>
      )}
      <IconButton glyph="close" label="Hide this" onClick={() => unfollowAction(rollout)} />
    </div>
  );
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

function ActionStateGlyph({ action }: { action: Action }) {
  if (isEndUnknown(action)) return <Glyph name="unknown" className="text-unknown" />;
  switch (action.state) {
    case 'accepted':
    case 'following':
      return <RingGlyph share={0.3} className="text-rolling" />;
    case 'done':
      return <Glyph name="complete" className="text-complete" />;
    case 'failed':
    case 'refused':
      return <Glyph name="stuck" className="text-stuck" />;
    default:
      return action.state satisfies never;
  }
}
