import { writeRoute } from '@/app/api/handlers';
import { workloadParams } from '@/app/api/params';
import { rolloutActionRequests } from '@/lib/api/rollout-actions';
import { type RolloutActionName } from '@/lib/api/action-values';

/** The route of one action on rollouts, with its parameters. */
export function rolloutActionRoute(action: RolloutActionName) {
  return writeRoute(
    `/api/rollouts/{…}/${action}`,
    workloadParams,
    rolloutActionRequests[action],
    ({ actions, viewer, params, body }) => actions.rollout(viewer, params, action, body),
  );
}
