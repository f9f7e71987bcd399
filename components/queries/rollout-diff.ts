import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { clusterOf } from '@/components/queries/workload-ref';
import { rolloutKey, type RolloutRef } from '@/components/queries/rollouts';

/** The changes of a rollout whose source and target are not revisions of one workload. */
export function rolloutDiffQuery(rollout: RolloutRef) {
  const query = clusterOf(rollout);
  return queryOptions({
    queryKey: [...rolloutKey(rollout), 'diff', query.cluster],
    queryFn: ({ signal }) =>
      apiFetch('GET /api/rollouts/{resource}/{namespace}/{name}/diff', { params: rollout, query, signal }),
  });
}
