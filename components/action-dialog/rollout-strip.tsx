'use client';

import { useEffect, useEffectEvent } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ActionStrip, undoOf } from '@/components/action-dialog/action-strip';
import { useFollowedActionId } from '@/components/action-dialog/followed-action';
import { actionQuery } from '@/components/queries/action';
import { rolloutKey, type RolloutRef } from '@/components/queries/rollouts';
import { Button } from '@/components/ui/button';
import type { Action } from '@/lib/api/action';
import type { RolloutActionName } from '@/lib/api/action-values';
import type { RolloutDetail } from '@/lib/api/rollouts';
import { actionLabels } from '@/lib/rollout/action-labels';

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
          {actionLabels[undo]}…
        </Button>
      )}
    </ActionStrip>
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
