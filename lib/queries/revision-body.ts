import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/lib/api/client';
import { revisionBodySchema } from '@/lib/api/workloads';
import { workloadApiPath, workloadKey, type WorkloadRef } from '@/lib/queries/workload-ref';

/** The template that a rollback to this revision would put into the spec, credentials masked. */
export function revisionBodyQuery(workload: WorkloadRef, revision: string) {
  return queryOptions({
    queryKey: [...workloadKey(workload), 'revision', revision],
    queryFn: ({ signal }) =>
      apiFetch(workloadApiPath(workload, `/revisions/${encodeURIComponent(revision)}`), revisionBodySchema, {
        signal,
      }),
  });
}
