'use client';

import { useEffect, useEffectEvent } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { unfollow, useFollowed } from '@/components/rollback/followed';
import { stripTitle } from '@/components/rollback/strip-title';
import { IconButton } from '@/components/ui/button';
import { Glyph, RingGlyph } from '@/components/ui/glyph';
import { RelativeTime } from '@/components/ui/time';
import { type Action } from '@/lib/api/actions';
import { actionQuery } from '@/lib/queries/action';
import { rolloutKey, type RolloutRef } from '@/lib/queries/rollouts';

/** How the action that was confirmed last for this release in this tab goes, in one line; nothing without one. */
export function ReleaseStrip({ rollout }: { rollout: RolloutRef }) {
  const actionId = useFollowed(rollout);
  return actionId === null ? null : <Strip key={actionId} actionId={actionId} rollout={rollout} />;
}

function Strip({ actionId, rollout }: { actionId: string; rollout: RolloutRef }) {
  const { data: action } = useQuery(actionQuery(actionId));
  useSameMoment(action, rollout);
  if (action === undefined) return null;
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-2.5 gap-y-1 rounded-3 border border-line bg-surface py-1 pr-1 pl-3">
      <StateMark state={action.state} />
      <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <span role="status">
          <b>{stripTitle(action)}</b> <span className="text-ink-2">{action.message}</span>
        </span>
        <span className="ml-2 text-small text-ink-3">
          <RelativeTime iso={action.endedAt ?? action.startedAt} suffix="ago" />
        </span>
      </span>
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

function StateMark({ state }: { state: Action['state'] }) {
  switch (state) {
    case 'accepted':
    case 'following':
      return <RingGlyph share={0.3} className="text-rolling" />;
    case 'done':
      return <Glyph name="complete" className="text-complete" />;
    case 'failed':
    case 'refused':
      return <Glyph name="stuck" className="text-stuck" />;
    default:
      return state satisfies never;
  }
}
