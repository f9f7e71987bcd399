import { queryOptions } from '@tanstack/react-query';
import type { Action } from '@/lib/api/action';
import { apiFetch } from '@/components/queries/client';
import { rolloutPagePath } from '@/components/queries/rollouts';
import { workloadPagePath } from '@/components/queries/workload-ref';
import { isRolloutResource } from '@/lib/rollout/systems/resources';

/** Actions are not on the stream. A pod takes seconds to start, so a second is soon enough. */
const FOLLOW_INTERVAL_MS = 1_000;

/** One action, polled every second until it has ended. */
export function actionQuery(actionId: string) {
  return queryOptions({
    queryKey: ['action', actionId],
    queryFn: ({ signal }) => apiFetch('GET /api/actions/{id}', { params: { id: actionId }, signal }),
    refetchInterval: ({ state }) => (state.data && hasEnded(state.data) ? false : FOLLOW_INTERVAL_MS),
  });
}

/**
 * Whether it has ended: done, failed or refused; "accepted" is not done. The outcome of an action whose process has
 * ended may be unknown.
 */
export function hasEnded(action: Pick<Action, 'state' | 'endedAt'>): boolean {
  switch (action.state) {
    case 'accepted':
    case 'following':
      return action.endedAt !== null;
    case 'done':
    case 'failed':
    case 'refused':
      return true;
    default:
      return action.state satisfies never;
  }
}

/** Whether it ended without a known outcome: the process that followed it has ended. */
export function isEndUnknown({ state, endedAt }: Pick<Action, 'state' | 'endedAt'>): boolean {
  return (state === 'accepted' || state === 'following') && endedAt !== null;
}

/** The page of the object that it was done to. */
export function actionPagePath(action: Pick<Action, 'cluster' | 'resource' | 'namespace' | 'name'>): string {
  return isRolloutResource(action.resource) ? rolloutPagePath(action) : workloadPagePath(action);
}
