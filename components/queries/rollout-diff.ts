import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { type Diff } from '@/lib/api/diff';
import { rolloutApiPath, rolloutKey, type RolloutRef } from '@/components/queries/rollouts';

/** The changes of a rollout whose source and target are not revisions of one workload. */
export function rolloutDiffQuery(rollout: RolloutRef) {
  return queryOptions({
    queryKey: [...rolloutKey(rollout), 'diff'],
    queryFn: ({ signal }) => apiFetch<Diff>(rolloutApiPath(rollout, '/diff'), { signal }),
  });
}
