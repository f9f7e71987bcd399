import { queryOptions } from '@tanstack/react-query';
import { type ActionAnswer, type RollbackRequest } from '@/lib/api/actions';
import { apiFetch } from '@/lib/api/client';
import { workloadApiPath, type WorkloadRef } from '@/lib/queries/workload-ref';

export interface RollbackChoice {
  /** Id of the revision to return to. */
  to: string;
  /** `workload.seen` as it was when the viewer looked. */
  seen: string;
  likeKubectl: boolean;
  /** Where the partition goes in the same write. */
  partition?: number;
}

/**
 * What a rollback would do, asked with a dry run. The key lies outside the workload's: what the viewer reads must not
 * change because a pod became ready. `look` counts how often the viewer asked to look again.
 */
export function rollbackPreviewQuery(workload: WorkloadRef, choice: RollbackChoice, look: number) {
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
      look,
    ],
    queryFn: ({ signal }) => sendRollback(workload, { ...choice, reason: '', dryRun: true }, { signal }),
    // Not even asked again when everything else is after a gap in the stream.
    staleTime: 'static',
    gcTime: 0,
    retry: false,
  });
}

/** Sends a rollback; the same `idempotencyKey` with the same body is carried out once, however often it is sent. */
export function sendRollback(
  workload: WorkloadRef,
  body: RollbackRequest,
  { signal, idempotencyKey }: { signal?: AbortSignal; idempotencyKey?: string } = {},
): Promise<ActionAnswer> {
  return apiFetch<ActionAnswer>(`${workloadApiPath(workload)}/rollback`, {
    method: 'POST',
    body,
    signal,
    idempotencyKey,
  });
}
