import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { type RevisionManifest } from '@/lib/api/workloads';
import { workloadApiPath, workloadKey, type WorkloadRef } from '@/components/queries/workload-ref';

/** The object that holds a revision, by its name, as text. */
export function manifestQuery(workload: WorkloadRef, name: string) {
  return queryOptions({
    queryKey: [...workloadKey(workload), 'manifest', name],
    queryFn: ({ signal }) =>
      apiFetch<RevisionManifest>(
        workloadApiPath(workload, `/revisions/${encodeURIComponent(name)}/manifest`),
        { signal },
      ),
  });
}
