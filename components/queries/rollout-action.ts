import { queryOptions } from '@tanstack/react-query';
import { type ActionAnswer } from '@/lib/api/actions';
import { apiFetch, type RequestOptions } from '@/components/queries/client';
import { type RolloutRef } from '@/components/queries/rollouts';
import { type RolloutActionName } from '@/lib/api/action-values';

/** One of the actions on a rollout, with its parameters besides the precondition. */
export type RolloutActionChoice =
  | { action: Exclude<RolloutActionName, 'jump' | 'delete'> }
  /** Counts from 1. */
  | { action: 'jump'; step: number }
  | { action: 'delete'; revert?: boolean };

export interface RolloutActionBody {
  /** `seen` of the rollout that the viewer saw. */
  seen: string;
  reason: string;
  dryRun: boolean;
  /** Rollback: the template of the preview. */
  toSeen?: string;
}

/**
 * What the action would do, by a dry run. Stable: what the viewer reads must not change because a pod became ready.
 * `refreshCount` counts reloads by the viewer.
 */
export function rolloutPreviewQuery(
  rollout: RolloutRef,
  choice: RolloutActionChoice,
  seen: string,
  refreshCount: number,
) {
  const { resource, namespace, name } = rollout;
  return queryOptions({
    queryKey: ['rollout-preview', resource, namespace, name, choice, seen, refreshCount],
    queryFn: ({ signal }) =>
      sendRolloutAction(rollout, choice, { seen, reason: '', dryRun: true }, { signal }),
    // Not refetched even when everything else is after a gap in the stream.
    staleTime: 'static',
    gcTime: 0,
    retry: false,
  });
}

/** Sends the action; repeats with the same `idempotencyKey` and body have no further effect. */
export function sendRolloutAction(
  rollout: RolloutRef,
  { action, ...parameters }: RolloutActionChoice,
  body: RolloutActionBody,
  options: RequestOptions = {},
): Promise<ActionAnswer> {
  return apiFetch(`POST /api/rollouts/{resource}/{namespace}/{name}/${action}`, {
    params: rollout,
    body: { ...parameters, ...body },
    ...options,
  });
}
