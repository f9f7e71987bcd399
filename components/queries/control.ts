import { queryOptions } from '@tanstack/react-query';
import { type ActionAnswer } from '@/lib/api/actions';
import { apiFetch } from '@/components/queries/client';
import { workloadApiPath, type WorkloadRef } from '@/components/queries/workload-ref';

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
  { signal, idempotencyKey }: { signal?: AbortSignal; idempotencyKey?: string } = {},
): Promise<ActionAnswer> {
  return apiFetch<ActionAnswer>(workloadApiPath(workload) + pathOf(choice), {
    method: 'POST',
    body: { ...argumentsOf(choice), ...body },
    signal,
    idempotencyKey,
  });
}

function pathOf(choice: ControlChoice): string {
  switch (choice.action) {
    case 'pause':
    case 'resume':
    case 'restart':
    case 'partition':
      return `/${choice.action}`;
    case 'deletePod':
      return `/pods/${encodeURIComponent(choice.pod)}/delete`;
    default:
      return choice satisfies never;
  }
}

function argumentsOf(choice: ControlChoice): Record<string, string | number> {
  switch (choice.action) {
    case 'pause':
    case 'resume':
    case 'restart':
      return {};
    case 'partition':
      return { to: choice.to };
    case 'deletePod':
      return { uid: choice.uid };
    default:
      return choice satisfies never;
  }
}
