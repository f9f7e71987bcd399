import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/lib/api/client';
import { diffSchema } from '@/lib/api/diff';
import { workloadApiPath, workloadKey, type WorkloadRef } from '@/lib/queries/workload-ref';

export interface DiffSides {
  /** Number or id of a revision, `live`, or `pod:{name}`. */
  from: string;
  to: string;
}

/** The semantic difference of two sides; with `yaml` both sides as text too. */
export function diffQuery(workload: WorkloadRef, { from, to }: DiffSides, yaml = false) {
  const query = new URLSearchParams({ from, to, ...(yaml && { yaml: '1' }) });
  return queryOptions({
    queryKey: [...workloadKey(workload), 'diff', from, to, yaml],
    queryFn: ({ signal }) => apiFetch(`${workloadApiPath(workload)}/diff?${query}`, diffSchema, { signal }),
    placeholderData: keepPreviousData,
    // What is the present spec, a pod, or a number may be something else a second later; two ids never are.
    staleTime: isFixed(from) && isFixed(to) ? 'static' : 0,
  });
}

function isFixed(side: string): boolean {
  return side !== 'live' && !side.startsWith('pod:') && !/^\d+$/.test(side);
}
