import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { type Diff } from '@/lib/api/diff';
import { clusterOf, workloadKey, type WorkloadRef } from '@/components/queries/workload-ref';

export interface DiffSides {
  /** Number or id of a revision, `live`, or `pod:{name}`; of another cluster with `{cluster}:` in front. */
  from: string;
  to: string;
}

/**
 * The semantic difference of two sides; with `yaml` both sides as text too. Until the answer for another pair
 * arrives, the previous one is the placeholder.
 */
export function diffQuery(workload: WorkloadRef, { from, to }: DiffSides, yaml = false) {
  const { cluster } = clusterOf(workload);
  const key = workloadKey(workload);
  return queryOptions({
    queryKey: [...key, 'diff', from, to, yaml, cluster],
    queryFn: ({ signal }) =>
      apiFetch('GET /api/workloads/{resource}/{namespace}/{name}/diff', {
        params: workload,
        query: { cluster, from, to, yaml: yaml ? '1' : undefined },
        signal,
      }),
    placeholderData: (before: Diff | undefined, query) =>
      query?.queryKey.at(-1) === cluster && key.every((part, index) => query?.queryKey[index] === part)
        ? before
        : undefined,
    // The current spec, a pod or a number can change at any time; two ids cannot.
    ...(isFixed(from) && isFixed(to) && { staleTime: 'static' as const }),
  });
}

function isFixed(side: string): boolean {
  return side !== 'live' && !side.startsWith('pod:') && !/^\d+$/.test(side);
}
