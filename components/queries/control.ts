import { queryOptions } from '@tanstack/react-query';
import { type ActionAnswer } from '@/lib/api/actions';
import { apiFetch, type RequestOptions } from '@/components/queries/client';
import { type WorkloadRef } from '@/components/queries/workload-ref';

/** One of the small actions, with its parameters besides the precondition. */
export type ControlChoice =
  | { action: 'pause' | 'resume' | 'restart' }
  | { action: 'partition'; to: number }
  | { action: 'deletePod'; pod: string; uid: string };

export interface ControlRequestBody {
  seen: string;
  reason: string;
  dryRun: boolean;
}

/** What the action would do, by a dry run; as stable as the preview of a rollback. */
export function controlPreviewQuery(
  workload: WorkloadRef,
  choice: ControlChoice,
  seen: string,
  refreshCount: number,
) {
  const { resource, namespace, name } = workload;
  return queryOptions({
    queryKey: ['control-preview', resource, namespace, name, choice, seen, refreshCount],
    queryFn: ({ signal }) => sendControl(workload, choice, { seen, reason: '', dryRun: true }, { signal }),
    // Not refetched even when everything else is after a gap in the stream.
    staleTime: 'static',
    gcTime: 0,
    retry: false,
  });
}

/** Sends the action; repeats with the same `idempotencyKey` and body have no further effect. */
export function sendControl(
  workload: WorkloadRef,
  choice: ControlChoice,
  body: ControlRequestBody,
  options: RequestOptions = {},
): Promise<ActionAnswer> {
  switch (choice.action) {
    case 'pause':
    case 'resume':
    case 'restart':
      return apiFetch(`POST /api/workloads/{resource}/{namespace}/{name}/${choice.action}`, {
        params: workload,
        body,
        ...options,
      });
    case 'partition':
      return apiFetch('POST /api/workloads/{resource}/{namespace}/{name}/partition', {
        params: workload,
        body: { to: choice.to, ...body },
        ...options,
      });
    case 'deletePod':
      return apiFetch('POST /api/workloads/{resource}/{namespace}/{name}/pods/{pod}/delete', {
        params: { ...workload, pod: choice.pod },
        body: { uid: choice.uid, ...body },
        ...options,
      });
    default:
      return choice satisfies never;
  }
}
