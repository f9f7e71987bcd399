import { queryOptions } from '@tanstack/react-query';
import { type ActionAnswer, type RollbackRequest } from '@/lib/api/actions';
import { apiFetch, type RequestOptions } from '@/components/queries/client';
import { type WorkloadRef } from '@/components/queries/workload-ref';

export interface RollbackChoice {
  /** Id of the revision to return to. */
  to: string;
  /** `workload.seen` of the workload that the viewer saw. */
  seen: string;
  likeKubectl: boolean;
  /** The partition to set in the same write. */
  partition?: number;
}

/**
 * What a rollback would do, by a dry run. The key lies outside the workload's: what the viewer reads must not change
 * because a pod became ready. `refreshCount` counts reloads by the viewer.
 */
export function rollbackPreviewQuery(workload: WorkloadRef, choice: RollbackChoice, refreshCount: number) {
  const { resource, namespace, name } = workload;
  return queryOptions({
    queryKey: [
      'rollback-preview',
      resource,
      namespace,
      name,
      choice.to,
      choice.seen,
      choice.likeKubectl,
      choice.partition ?? null,
      refreshCount,
    ],
    queryFn: ({ signal }) => sendRollback(workload, { ...choice, reason: '', dryRun: true }, { signal }),
    // Not refetched even when everything else is after a gap in the stream.
    staleTime: 'static',
    gcTime: 0,
    retry: false,
  });
}

/** Sends a rollback; repeats with the same `idempotencyKey` and body have no further effect. */
export function sendRollback(
  workload: WorkloadRef,
  body: RollbackRequest,
  options: RequestOptions = {},
): Promise<ActionAnswer> {
  return apiFetch('POST /api/workloads/{resource}/{namespace}/{name}/rollback', {
    params: workload,
    body,
    ...options,
  });
}
