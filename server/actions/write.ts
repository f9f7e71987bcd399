import 'server-only';
import { FIELD_MANAGER } from '@/lib/kube/managed-fields';
import { AppError } from '@/lib/errors';
import { type JsonObject, stringifyGo } from '@/lib/kube/json';
import type { PlannedWrite } from '@/lib/workloads/plan';
import { isUnreachable } from '@/server/cluster/api-errors';
import type { Cluster } from '@/server/cluster/cluster';
import type { KubeRequest } from '@/server/cluster/kube-request';
import type { Viewer } from '@/server/shared/viewer';

/** Admission plugins may be slow. */
const TIMEOUT_MS = 30_000;

/**
 * Sends the planned write as the viewer and returns the object in the answer. With `dryRun` the API server
 * does everything but store it. Fields that the server does not know any more are dropped with a warning, as
 * they are for kubectl: one of them must not make an old revision unreachable.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#dry-run
 */
export async function sendWrite(
  cluster: Pick<Cluster, 'transportFor'>,
  viewer: Viewer,
  write: PlannedWrite,
  { dryRun }: { dryRun: boolean },
): Promise<JsonObject> {
  const request = { ...requestOf(write, dryRun), timeoutMs: TIMEOUT_MS };
  try {
    return (await cluster.transportFor(viewer).json(request)) as JsonObject;
  } catch (error) {
    const isUnknownPath = error instanceof AppError && error.code === 'not_found';
    if (!isUnknownPath || write.kind !== 'merge' || write.elsePath === undefined) throw error;
    const { kind, elsePath, body } = write;
    return sendWrite(cluster, viewer, { kind, path: elsePath, body }, { dryRun });
  }
}

function requestOf(write: PlannedWrite, dryRun: boolean): KubeRequest {
  const query = dryRun ? { dryRun: 'All' } : {};
  const { path } = write;
  if (write.kind === 'delete') {
    const options = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: write.preconditions };
    // The body wins over the query where it arrives; a proxy that drops it must not turn a dry run into a deletion.
    const body = JSON.stringify(dryRun ? { ...options, dryRun: ['All'] } : options);
    return { method: 'DELETE', path, query, body };
  }
  return {
    method: 'PATCH',
    path,
    query: { ...query, fieldManager: FIELD_MANAGER, fieldValidation: 'Warn' },
    body: stringifyGo(
      write.kind === 'merge' ? write.body : write.patch.map((operation): JsonObject => ({ ...operation })),
    ),
    contentType: `application/${write.kind === 'merge' ? 'merge' : 'json'}-patch+json`,
  };
}

/** Whether the API server may execute a write after all that got no success answer. */
export function isOutcomeUnknown(error: AppError): boolean {
  return isUnreachable(error) && error.code !== 'rate_limited' && error.details.outcome !== 'not_sent';
}

/** The error to answer with while the outcome of the write is unknown. */
export function outcomeUnknownError(error: AppError, actionId: string, isUnchanged: boolean): AppError {
  const outcome = isUnchanged
    ? 'The change has not arrived yet, but still may.'
    : 'The change may or may not have been applied.';
  return new AppError(
    error.code,
    `${error.message} ${outcome} Shiplog keeps checking and updates the action.`,
    { ...error.details, outcome: 'unknown', actionId },
    error,
  );
}
