import 'server-only';
import { AppError } from '@/lib/errors';
import { deepEqual, type Json, type JsonObject, stringifyGo } from '@/lib/kube/json';
import { type JsonPatchOperation, type PlannedWrite } from '@/lib/workloads/plan';
import { valueAt } from '@/lib/workloads/read';
import { isOutOfReach } from '@/server/cluster/api-errors';
import { type Cluster } from '@/server/cluster/cluster';
import { type KubeRequest } from '@/server/cluster/transport';
import { type Viewer } from '@/server/viewer';

/** Under this name managedFields keep what Shiplog wrote. */
export const FIELD_MANAGER = 'shiplog';

/** Admission plugins may take their time. */
const TIMEOUT_MS = 30_000;

/**
 * Sends the planned write as the viewer and gives back the object in the answer. With `dryRun` the API server does
 * everything but store it. Fields that the server does not know any more are dropped with a warning, as they are for
 * kubectl: an old revision must not become unreachable through one.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#dry-run
 */
export async function sendWrite(
  { transport }: Pick<Cluster, 'transport'>,
  viewer: Viewer,
  write: PlannedWrite,
  { dryRun }: { dryRun: boolean },
): Promise<JsonObject> {
  const query = dryRun ? { dryRun: 'All' } : {};
  const who = viewer.impersonate === undefined ? {} : { impersonate: viewer.impersonate };
  if (write.kind === 'merge' && write.elsePath !== undefined) {
    const { elsePath, ...rest } = write;
    try {
      return await sendWrite({ transport }, viewer, rest, { dryRun });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
      return sendWrite({ transport }, viewer, { ...rest, path: elsePath }, { dryRun });
    }
  }
  if (write.kind !== 'delete') {
    const answer = await transport.json({
      method: 'PATCH',
      path: write.path,
      query: { ...query, fieldManager: FIELD_MANAGER, fieldValidation: 'Warn' },
      ...patchOf(write),
      timeoutMs: TIMEOUT_MS,
      ...who,
    });
    return answer as JsonObject;
  }
  const options = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: write.preconditions };
  const answer = await transport.json({
    method: 'DELETE',
    path: write.path,
    query,
    // The body wins over the query where it arrives; a proxy that drops it must not turn a dry run into a deletion.
    body: JSON.stringify(dryRun ? { ...options, dryRun: ['All'] } : options),
    timeoutMs: TIMEOUT_MS,
    ...who,
  });
  return answer as JsonObject;
}

function patchOf(
  write: Exclude<PlannedWrite, { kind: 'delete' }>,
): Pick<KubeRequest, 'body' | 'contentType'> {
  if (write.kind === 'merge') {
    return { body: stringifyGo(write.body), contentType: 'application/merge-patch+json' };
  }
  const operations = write.patch.map((operation): JsonObject => ({ ...operation }));
  return { body: stringifyGo(operations), contentType: 'application/json-patch+json' };
}

type Scalar = string | number | boolean | null;

/** The plain values that a patch sets; null for a member that it takes away. */
export function scalarsOf(patch: readonly JsonPatchOperation[]): { path: string; value: Scalar }[] {
  return patch.flatMap((operation) => {
    if (operation.op === 'test') return [];
    const value = operation.op === 'remove' ? null : operation.value;
    return value !== null && typeof value === 'object' ? [] : [{ path: operation.path, value }];
  });
}

/** Whether an object has these values. The API server leaves out a member whose value is the empty one. */
export function hasValues(object: JsonObject, values: readonly { path: string; value: Scalar }[]): boolean {
  const full = (value: Json | undefined) => (value === false || value === 0 ? null : (value ?? null));
  return values.every(({ path, value }) => full(valueAt(object, ...namesOf(path))) === full(value));
}

/** Whether the API server may carry a write out after all that got no good answer. */
export function isInDoubt(error: AppError): boolean {
  return isOutOfReach(error) && error.code !== 'rate_limited' && error.details.outcome !== 'not_sent';
}

/** The error to answer with while it is not known whether the write was done. */
export function doubtError(error: AppError, actionId: string, isUnchanged: boolean): AppError {
  const sofar = isUnchanged
    ? 'The write has not arrived so far, but still may.'
    : 'Whether the write was done is not known yet.';
  return new AppError(
    error.code,
    `${error.message} ${sofar} Shiplog keeps looking, and the action will say.`,
    { ...error.details, outcome: 'unknown', actionId },
    error,
  );
}

/** Paths whose value is no longer what the patch tests for; null stands for a missing member. */
export function failedTests(object: JsonObject, patch: readonly JsonPatchOperation[]): string[] {
  return patch.flatMap((operation) => {
    if (operation.op !== 'test') return [];
    const present = valueAt(object, ...namesOf(operation.path)) ?? null;
    return deepEqual(present, operation.value) ? [] : [operation.path];
  });
}

/** Member names of a JSON pointer. https://www.rfc-editor.org/rfc/rfc6901 */
export function namesOf(path: string): string[] {
  return path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}
