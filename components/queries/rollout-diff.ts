import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { inCluster } from '@/components/queries/cluster';
import { rolloutKey, type RolloutRef } from '@/components/queries/rollouts';

/** The changes of a rollout whose source and target are not revisions of one workload. */
export function rolloutDiffQuery(rollout: RolloutRef) {
  return queryOptions({
    queryKey: [...rolloutKey(rollout), 'diff'],
    queryFn: ({ signal }) =>
      apiFetch('GET /api/rollouts/{resource}/{namespace}/{name}/diff', {
        params: rollout,
        query: inCluster(rollout),
        signal,
      }),
  });
}
