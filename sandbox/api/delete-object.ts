import { isJsonObject, isRawNumber, type Json, memberOf } from '@/lib/kube/json';
import { type ApiCore, type ObjectPlace, timestamp } from '@/sandbox/api/api-core';
import { conflict } from '@/sandbox/api/objects/api-status';
import { resourceName, type ResourceKind } from '@/sandbox/api/objects/resource-kind';
import {
  copyJson,
  objectOrEmptyAt,
  type StoredObject,
  textOrEmptyAt,
} from '@/sandbox/api/objects/stored-object';
import { readObject } from '@/sandbox/api/write-object';

const PROPAGATIONS = ['Foreground', 'Background', 'Orphan'] as const;
export type Propagation = (typeof PROPAGATIONS)[number];

/** https://kubernetes.io/docs/reference/kubernetes-api/definitions/delete-options-v1-meta/ */
interface DeleteRequest {
  readonly propagation: Propagation | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  /** Empty if it does not matter. */
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly dryRun?: boolean;
}

export const ORPHAN = 'orphan';
export const FOREGROUND = 'foregroundDeletion';
/** Upstream, 64 bits of nanoseconds overflow; what matters is that it stays a date. */
const GRACE_SECONDS_MAX = 4_000_000_000;

/** Reads the body of a delete request, and the parameters that may replace it. */
export function parseDeleteOptions(body: Json, query: URLSearchParams, dryRun: boolean): DeleteRequest {
  const options = isJsonObject(body) ? body : {};
  const propagation = options.propagationPolicy ?? query.get('propagationPolicy') ?? undefined;
  const grace = options.gracePeriodSeconds ?? query.get('gracePeriodSeconds') ?? undefined;
  return {
    propagation: PROPAGATIONS.find((one) => one === propagation),
    gracePeriodSeconds: grace === undefined ? undefined : Number(grace),
    uid: textOrEmptyAt(options, 'preconditions', 'uid'),
    resourceVersion: textOrEmptyAt(options, 'preconditions', 'resourceVersion'),
    dryRun: dryRun || (Array.isArray(options.dryRun) && options.dryRun.includes('All')),
  };
}

interface Deleted {
  /** Its last state, or the current one if it is not deleted yet. */
  readonly object: StoredObject;
  readonly isGone: boolean;
}

/**
 * Deletes an object, or marks it as being deleted while finalizers or the grace period of a pod hold it.
 * Throws ApiStatus 404, and 409 when a precondition does not hold.
 * https://github.com/kubernetes/apiserver/blob/master/pkg/registry/generic/registry/store.go
 */
export function deleteObject(core: ApiCore, place: ObjectPlace, options: DeleteRequest): Deleted {
  const { kind } = place;
  const present = readObject(core, place);
  assertPreconditions(kind, present, options);
  const grace = graceOf(kind, present, options.gracePeriodSeconds);
  const finalizers = finalizersFor(present, options.propagation);
  const isGone = finalizers.length === 0 && grace === 0 && kind.kind !== 'Namespace';
  const object = isGone ? present : mark(core, kind, present, finalizers, grace);
  if (options.dryRun === true || (!isGone && object === present)) return { object, isGone };
  const stored = core.store[isGone ? 'remove' : 'put'](resourceName(kind), object);
  core.collectGarbage();
  return { object: stored, isGone };
}

function assertPreconditions(
  { group, kind }: ResourceKind,
  { metadata }: StoredObject,
  { uid = '', resourceVersion = '' }: DeleteRequest,
): void {
  const compare = (what: string, theirs: string, ours: string, end: string) => {
    if (theirs === '' || theirs === ours) return;
    const why =
      `the ${what} in the precondition (${theirs}) does not match the ${what} in record (${ours}). The object might ` +
      `have been ${end}`;
    throw conflict({ group, plural: kind }, metadata.name, why);
  };
  compare('UID', uid, metadata.uid, 'deleted and then recreated');
  compare('ResourceVersion', resourceVersion, metadata.resourceVersion, 'modified');
}

/** Only running pods have a grace period. */
function graceOf({ kind }: ResourceKind, { spec, status }: StoredObject, wanted: number | undefined): number {
  if (kind !== 'Pod' || textOrEmptyAt(spec, 'nodeName') === '') return 0;
  if (['Succeeded', 'Failed'].includes(textOrEmptyAt(status, 'phase'))) return 0;
  const own = memberOf(spec, 'terminationGracePeriodSeconds') ?? 30;
  const grace = wanted ?? Number(isRawNumber(own) ? own.rawJSON : own);
  return Math.min(Math.max(0, grace), GRACE_SECONDS_MAX);
}

function finalizersFor({ metadata }: StoredObject, propagation: Propagation | undefined): string[] {
  const present = metadata.finalizers ?? [];
  if (propagation === undefined) return present;
  const others = present.filter((finalizer) => finalizer !== ORPHAN && finalizer !== FOREGROUND);
  if (propagation === 'Background') return others;
  return [...others, propagation === 'Orphan' ? ORPHAN : FOREGROUND];
}

/** The same object if it is already marked so. */
function mark(
  core: ApiCore,
  kind: ResourceKind,
  present: StoredObject,
  finalizers: string[],
  grace: number,
): StoredObject {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = present.metadata;
  const isShorter = deletionTimestamp === undefined || grace < deletionGracePeriodSeconds;
  if (!isShorter && finalizers.join() === (present.metadata.finalizers ?? []).join()) return present;
  const marked = copyJson(present);
  const { metadata } = marked;
  if (isShorter) {
    metadata.deletionTimestamp = timestamp(core.now() + grace * 1000);
    metadata.deletionGracePeriodSeconds = grace;
  }
  delete metadata.finalizers;
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  if (kind.hasGeneration && deletionTimestamp === undefined)
    metadata.generation = (metadata.generation ?? 0) + 1;
  if (kind.kind === 'Namespace') {
    delete metadata.deletionGracePeriodSeconds;
    marked.status = { ...objectOrEmptyAt(marked, 'status'), phase: 'Terminating' };
  }
  return marked;
}
