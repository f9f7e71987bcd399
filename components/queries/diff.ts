import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { inCluster } from '@/components/queries/cluster';
import type { Diff } from '@/lib/api/diff';
import { workloadKey, type WorkloadRef } from '@/components/queries/workload-ref';

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
  const key = workloadKey(workload);
  return queryOptions({
    queryKey: [...key, 'diff', from, to, yaml],
    queryFn: ({ signal }) =>
      apiFetch('GET /api/workloads/{resource}/{namespace}/{name}/diff', {
        params: workload,
        query: { ...inCluster(workload), from, to, yaml: yaml ? '1' : undefined },
        signal,
      }),
    placeholderData: (before: Diff | undefined, query) =>
      key.every((part, index) => query?.queryKey[index] === part) ? before : undefined,
    // The current spec, a pod or a number can change at any time; two ids cannot.
    ...(isFixed(from) && isFixed(to) && { staleTime: 'static' as const }),
  });
}

function isFixed(side: string): boolean {
  const ref = side.replace(/^(?!pod:)[^:]+:/, '');
  return ref !== 'live' && !ref.startsWith('pod:') && !/^\d+$/.test(ref);
}
