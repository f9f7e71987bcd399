'use client';

import { useEffect, useEffectEvent } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { unfollow, useFollowed } from '@/components/rollback/followed';
import { stripTitle } from '@/components/rollback/strip-title';
import { Button, ButtonLink, IconButton } from '@/components/ui/button';
import { Glyph, RingGlyph } from '@/components/ui/glyph';
import { RelativeTime } from '@/components/ui/time';
import { type Action } from '@/lib/api/actions';
import { type RolloutDetail } from '@/lib/api/rollouts';
import { actionQuery, isEndUnknown } from '@/lib/queries/action';
import { rolloutKey, type RolloutRef } from '@/lib/queries/rollouts';
import { actionLabel } from '@/lib/rollout/action-verbs';
import { type RolloutActionName } from '@/lib/rollout/rollout';

interface ReleaseStripProps {
  rollout: RolloutRef;
  detail: RolloutDetail;
  onAction: (action: RolloutActionName) => void;
}

/**
 * How the action that was confirmed last for this release in this tab goes, in one line, with the record of the rollout
 * and the way to undo it; nothing without one.
 */
export function ReleaseStrip(props: ReleaseStripProps) {
  const actionId = useFollowed(props.rollout);
  return actionId === null ? null : <Strip key={actionId} {...props} actionId={actionId} />;
}

/** What takes an action back. An approval has nothing of the kind: what it started is rolled back. */
const inverse: Readonly<Partial<Record<Action['action'], RolloutActionName>>> = {
  pause: 'resume',
  resume: 'pause',
  abort: 'retry',
  disable: 'enable',
  enable: 'disable',
};

function Strip({ actionId, rollout, detail, onAction }: ReleaseStripProps & { actionId: string }) {
  const { data: action } = useQuery(actionQuery(actionId));
  useSameMoment(action, rollout);
  if (action === undefined) return null;
  const title = stripTitle(action);
  const undo = action.state === 'done' ? inverse[action.action] : undefined;
  const isPossible = detail.rollout.actions.some(({ name, allowed }) => name === undo && allowed);
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-2.5 gap-y-1 rounded-3 border border-line bg-surface py-1 pr-1 pl-3">
      <StateMark action={action} />
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
      <IconButton glyph="close" label="Hide this" onClick={() => unfollow(rollout)} />
    </div>
  );
}

/** The action is polled, the release comes with the stream: what the one tells, the other must show too. */
function useSameMoment(action: Action | undefined, rollout: RolloutRef): void {
  const client = useQueryClient();
  const refresh = useEffectEvent(() => void client.invalidateQueries({ queryKey: rolloutKey(rollout) }));
  const moment = action && [action.state, action.message].join(' ');
  useEffect(() => {
    if (moment !== undefined) refresh();
  }, [moment]);
}

function StateMark({ action }: { action: Action }) {
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
