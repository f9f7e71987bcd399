import { isJsonObject, isRawNumber, type Json, memberOf } from '@/lib/kube/json';
import { type ApiCore, timestamp } from '@/sandbox/api/api-core';
import { conflict, invalid, unsupported } from '@/sandbox/api/objects/api-status';
import { copyJson } from '@/sandbox/api/copy';
import { resourceName, type ResourceKind } from '@/sandbox/api/objects/resource-kind';
import { type StoredObject, textOrEmptyAt } from '@/sandbox/api/objects/stored-object';
import { readObject } from '@/sandbox/api/update-object';

export type Propagation = 'Background' | 'Foreground' | 'Orphan';

/** https://kubernetes.io/docs/reference/kubernetes-api/definitions/delete-options-v1-meta/ */
export interface DeleteRequest {
  readonly propagation: Propagation | undefined;
  readonly gracePeriodSeconds: number | undefined;
  readonly preconditions: {
    readonly uid?: string | undefined;
    readonly resourceVersion?: string | undefined;
  };
  readonly dryRun: boolean;
}

export interface Deleted {
  /** Its last state, or the current one if it is not deleted yet. */
  readonly object: StoredObject;
  readonly isGone: boolean;
}

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';
/** Upstream, 64 bits of nanoseconds overflow; what matters is that it stays a date. */
const GRACE_SECONDS_MAX = 4_000_000_000;

/** Reads the body of a delete request, and the parameters that may replace it. Throws ApiStatus 422. */
export function parseDeleteOptions(
  body: Json | undefined,
  query: URLSearchParams,
  dryRun: boolean,
): DeleteRequest {
  const options = isJsonObject(body) ? body : {};
  const propagation = options.propagationPolicy ?? query.get('propagationPolicy') ?? undefined;
  const grace = options.gracePeriodSeconds ?? query.get('gracePeriodSeconds') ?? undefined;
  if (propagation !== undefined && !isPropagation(propagation)) {
    throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', [
      unsupported('propagationPolicy', propagation, ['Foreground', 'Background', 'Orphan', 'nil']),
    ]);
  }
  const { preconditions } = options;

  return {
    propagation,
    gracePeriodSeconds: grace === undefined ? undefined : Number(grace),
    preconditions: {
      uid: textOrEmptyAt(preconditions, 'uid') || undefined,
      resourceVersion: textOrEmptyAt(preconditions, 'resourceVersion') || undefined,
    },
    dryRun: dryRun || (Array.isArray(options.dryRun) && options.dryRun.includes('All')),
  };
}

function isPropagation(value: Json): value is Propagation {
  return value === 'Background' || value === 'Foreground' || value === 'Orphan';
}

/**
 * Deletes an object, or marks it as being deleted while finalizers or the grace period of a pod hold it.
 * Throws ApiStatus 404, and 409 when a precondition does not hold.
 * https://github.com/kubernetes/apiserver/blob/master/pkg/registry/generic/registry/store.go
 */
export function deleteObject(
  core: ApiCore,
  kind: ResourceKind,
  namespace: string,
  name: string,
  options: DeleteRequest,
): Deleted {
  const present = readObject(core, kind, namespace, name);
  assertPreconditions(kind, present, options.preconditions);
  const stored = core.store.get(resourceName(kind), present.metadata.namespace ?? '', name) ?? present;
  const grace = graceOf(kind, stored, options);
  const finalizers = finalizersFor(stored, options.propagation);
  const isHeld = finalizers.length > 0 || grace > 0 || kind.kind === 'Namespace';
  if (!isHeld) {
    const object = options.dryRun ? stored : core.store.remove(resourceName(kind), stored);
    if (!options.dryRun) core.collectGarbage();
    return { object, isGone: true };
  }
  const marked = mark(core, kind, stored, finalizers, grace);
  if (options.dryRun || marked === stored) return { object: marked, isGone: false };
  const object = core.store.put(resourceName(kind), marked);
  core.collectGarbage();

  return { object, isGone: false };
}

function assertPreconditions(
  { group, kind }: ResourceKind,
  { metadata }: StoredObject,
  { uid, resourceVersion }: DeleteRequest['preconditions'],
): void {
  const refuse = (what: string, theirs: string, ours: string, end: string) =>
    conflict(
      { group, kind },
      metadata.name,
      `the ${what} in the precondition (${theirs}) does not match the ${what} in record (${ours}). The object might ` +
        `have been ${end}`,
    );
  if (uid !== undefined && uid !== metadata.uid)
    throw refuse('UID', uid, metadata.uid, 'deleted and then recreated');
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion)
    throw refuse('ResourceVersion', resourceVersion, metadata.resourceVersion, 'modified');
}

/** Only running pods have a grace period. */
function graceOf(kind: ResourceKind, object: StoredObject, { gracePeriodSeconds }: DeleteRequest): number {
  if (kind.kind !== 'Pod') return 0;
  const phase = textOrEmptyAt(object, 'status', 'phase');
  if (textOrEmptyAt(object, 'spec', 'nodeName') === '' || phase === 'Succeeded' || phase === 'Failed')
    return 0;
  const own = memberOf(object.spec, 'terminationGracePeriodSeconds') ?? 30;

  return Math.min(
    Math.max(0, gracePeriodSeconds ?? Number(isRawNumber(own) ? own.rawJSON : own)),
    GRACE_SECONDS_MAX,
  );
}

function finalizersFor({ metadata }: StoredObject, propagation: Propagation | undefined): string[] {
  const present = metadata.finalizers ?? [];
  if (propagation === undefined) return present;
  const others = present.filter((finalizer) => finalizer !== ORPHAN && finalizer !== FOREGROUND);
  if (propagation === 'Background') return others;

  return [...others, propagation === 'Orphan' ? ORPHAN : FOREGROUND];
}

function mark(
  core: ApiCore,
  kind: ResourceKind,
  present: StoredObject,
  finalizers: string[],
  grace: number,
): StoredObject {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = present.metadata;
  const hasSame = JSON.stringify(finalizers) === JSON.stringify(present.metadata.finalizers ?? []);
  if (deletionTimestamp !== undefined && hasSame && grace >= deletionGracePeriodSeconds) return present;
  const marked = copyJson(present);
  const isShorter = deletionTimestamp === undefined || grace < deletionGracePeriodSeconds;
  if (isShorter) {
    marked.metadata.deletionTimestamp = timestamp(core.now() + grace * 1000);
    marked.metadata.deletionGracePeriodSeconds = grace;
  }
  if (finalizers.length > 0) marked.metadata.finalizers = finalizers;
  else delete marked.metadata.finalizers;
  if (kind.hasGeneration && deletionTimestamp === undefined)
    marked.metadata.generation = (marked.metadata.generation ?? 0) + 1;
  if (kind.kind === 'Namespace') {
    delete marked.metadata.deletionGracePeriodSeconds;
    marked.status = { ...(isJsonObject(marked.status) ? marked.status : {}), phase: 'Terminating' };
  }

  return marked;
}
