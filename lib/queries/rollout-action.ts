import { queryOptions } from '@tanstack/react-query';
import { type ActionAnswer } from '@/lib/api/actions';
import { apiFetch } from '@/lib/api/client';
import { rolloutApiPath, type RolloutRef } from '@/lib/queries/rollouts';
import { type RolloutActionName } from '@/lib/rollout/rollout';

/** One of the actions on a rollout, with what it needs beside the precondition. */
export type RolloutChoice =
  | { action: Exclude<RolloutActionName, 'jump' | 'delete'> }
  /** Counts from 1. */
  | { action: 'jump'; step: number }
  | { action: 'delete'; revert?: boolean };

export interface RolloutActionBody {
  /** `seen` of the rollout as it was when the viewer looked. */
  seen: string;
  reason: string;
  dryRun: boolean;
  /** Rollback: the template that was previewed. */
  toSeen?: string;
}

/**
 * What the action would do, asked with a dry run. Kept still: what the viewer reads must not change because a pod became
 * ready. `look` counts how often the viewer asked to look again.
 */
export function rolloutPreviewQuery(rollout: RolloutRef, choice: RolloutChoice, seen: string, look: number) {
  const { resource, namespace, name } = rollout;
  return queryOptions({
    queryKey: ['rollout-preview', resource, namespace, name, choice, seen, look],
    queryFn: ({ signal }) =>
      sendRolloutAction(rollout, choice, { seen, reason: '', dryRun: true }, { signal }),
    // Not even asked again when everything else is after a gap in the stream.
    staleTime: 'static',
    gcTime: 0,
    retry: false,
  });
}

/** Sends the action; the same `idempotencyKey` with the same body is carried out once. */
export function sendRolloutAction(
  rollout: RolloutRef,
  { action, ...parameters }: RolloutChoice,
  body: RolloutActionBody,
  { signal, idempotencyKey }: { signal?: AbortSignal; idempotencyKey?: string } = {},
): Promise<ActionAnswer> {
  return apiFetch<ActionAnswer>(rolloutApiPath(rollout, `/${action}`), {
    method: 'POST',
    body: { ...parameters, ...body },
    signal,
    idempotencyKey,
  });
}
