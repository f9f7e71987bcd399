import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/lib/api/client';
import { type Diff } from '@/lib/api/diff';
import { rolloutApiPath, rolloutKey, type RolloutRef } from '@/lib/queries/rollouts';

/** What a rollout changes whose source and target are no revisions of one workload. */
export function rolloutDiffQuery(rollout: RolloutRef) {
  return queryOptions({
    queryKey: [...rolloutKey(rollout), 'diff'],
    queryFn: ({ signal }) => apiFetch<Diff>(rolloutApiPath(rollout, '/diff'), { signal }),
  });
}
