import { deepEqual, type JsonObject } from '@/lib/kube/json';
import { type ApiCore, timestamp, type WriteOptions } from '@/sandbox/api/api-core';
import { type Cause, conflict, invalid, MODIFIED, notFound } from '@/sandbox/api/objects/api-status';
import { completeObject } from '@/sandbox/api/canonical';
import { copyJson } from '@/sandbox/api/copy';
import { dropEmpty } from '@/sandbox/api/create-object';
import { trackFields } from '@/sandbox/api/managed-fields';
import { holdBackRollout } from '@/sandbox/api/kruise-workload-webhook';
import { resourceName, groupVersion, type ResourceKind } from '@/sandbox/api/objects/resource-kind';
import { type StoredObject } from '@/sandbox/api/objects/stored-object';
import { validateMetadata } from '@/sandbox/api/objects/validation';

export interface UpdateOptions extends WriteOptions {
  /** Empty for the object itself. */
  readonly subresource: '' | 'status' | 'scale' | 'binding';
}

/** The object in the version that was requested. Throws ApiStatus 404. */
export function readObject(
  core: ApiCore,
  kind: ResourceKind,
  namespace: string,
  name: string,
  version = kind.versions[0] ?? '',
): StoredObject {
  const stored = core.store.get(resourceName(kind), kind.namespaced ? namespace : '', name);
  if (stored === undefined) throw notFound({ group: kind.group, kind: kind.plural }, name);

  return fromStored(kind, version, stored);
}

/** A stored object as a client of that version gets it. */
export function fromStored(kind: ResourceKind, version: string, object: StoredObject): StoredObject {
  const apiVersion = groupVersion(kind.group, version);

  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}

/**
 * Stores the next state of an object, which `change` makes from a copy of the current one. An unchanged state
 * is not stored. Throws ApiStatus.
 */
export function updateObject(
  core: ApiCore,
  kind: ResourceKind,
  namespace: string,
  name: string,
  change: (present: StoredObject) => StoredObject,
  options: UpdateOptions,
): StoredObject {
  const previous = readObject(core, kind, namespace, name, options.version);
  const draft = change(copyJson(previous));
  assertSameVersion(kind, draft, previous);
  const time = timestamp(core.now());
  keepSystemFields(draft, previous);
  if (options.subresource === '') holdBackRollout(core, kind, draft, previous);
  const next = completeObject(kind, draft, options);
  restrict(kind, next, previous, options.subresource, time);
  const causes = causesAgainst(kind, next, previous);
  if (causes.length > 0) throw invalid({ group: kind.group, kind: kind.kind }, name, causes);
  if (COUNTED.has(options.subresource)) countGeneration(kind, next, previous);
  const object = trackFields(kind, next, previous, { ...options, time });
  if (deepEqual(object, previous)) return previous;

  return options.dryRun
    ? fromStored(kind, options.version, object)
    : store(core, kind, object, options.version);
}

/** Removing the last finalizer of an object that is being deleted deletes it. */
function store(core: ApiCore, kind: ResourceKind, object: StoredObject, version: string): StoredObject {
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds = 0 } = object.metadata;
  const isDone =
    deletionTimestamp !== undefined && finalizers.length === 0 && deletionGracePeriodSeconds === 0;
  // A namespace is removed when it is empty.
  const stored =
    isDone && kind.kind !== 'Namespace'
      ? core.store.remove(resourceName(kind), object)
      : core.store.put(resourceName(kind), object);
  core.collectGarbage();

  return fromStored(kind, version, stored);
}

function assertSameVersion(kind: ResourceKind, next: StoredObject, previous: StoredObject): void {
  const { resourceVersion, uid } = next.metadata;
  const resource = { group: kind.group, kind: kind.plural };
  if (resourceVersion !== '' && resourceVersion !== previous.metadata.resourceVersion)
    throw conflict(resource, previous.metadata.name, MODIFIED);
  if (uid !== '' && uid !== previous.metadata.uid) {
    throw conflict(
      resource,
      previous.metadata.name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${previous.metadata.uid}`,
    );
  }
}

function keepSystemFields(next: StoredObject, { metadata }: StoredObject): void {
  const { uid, resourceVersion, creationTimestamp } = metadata;
  Object.assign(next.metadata, { uid, resourceVersion, creationTimestamp });
  for (const key of ['deletionTimestamp', 'deletionGracePeriodSeconds', 'generation'] as const) {
    if (metadata[key] === undefined) delete next.metadata[key];
    else Object.assign(next.metadata, { [key]: metadata[key] });
  }
  dropEmpty(next);
}

/** A write through one endpoint leaves the fields of the others unchanged. */
function restrict(
  kind: ResourceKind,
  next: StoredObject,
  previous: StoredObject,
  subresource: UpdateOptions['subresource'],
  time: string,
): void {
  if (subresource === 'status') {
    const { managedFields } = next.metadata;
    for (const key of Object.keys(next)) if (!KEPT_BY_STATUS.has(key)) delete next[key];
    for (const key of Object.keys(previous)) if (!KEPT_BY_STATUS.has(key)) next[key] = previous[key];
    if (kind.strategy.keepOnStatusUpdate !== undefined) kind.strategy.keepOnStatusUpdate(next, previous);
    else next.metadata = { ...previous.metadata, ...(managedFields === undefined ? {} : { managedFields }) };
    return;
  }
  if (kind.subresources.includes('status') && subresource !== 'binding') {
    if (previous.status === undefined) delete next.status;
    else next.status = previous.status;
  }
  kind.strategy.prepareUpdate?.(next, previous, { time });
}

/** Subresources whose writes may change the desired state; binding a pod to a node does not. */
const COUNTED = new Set(['', 'scale']);
const KEPT_BY_STATUS = new Set(['apiVersion', 'kind', 'metadata', 'status']);

function causesAgainst(kind: ResourceKind, next: StoredObject, previous: StoredObject): Cause[] {
  return [
    ...validateMetadata(next.metadata),
    ...(kind.strategy.validate?.(next) ?? []),
    ...(kind.strategy.validateUpdate?.(next, previous) ?? []),
  ];
}

function countGeneration(kind: ResourceKind, next: StoredObject, previous: StoredObject): void {
  if (!kind.hasGeneration) return;
  const isChanged =
    kind.schema === undefined
      ? !deepEqual(desiredPart(next), desiredPart(previous))
      : !deepEqual(next.spec, previous.spec) || kind.strategy.changesGeneration?.(next, previous) === true;
  next.metadata.generation = (previous.metadata.generation ?? 0) + (isChanged ? 1 : 0);
}

/** In a kind without known fields, everything but metadata and status is desired state. */
function desiredPart({ metadata: _metadata, status: _status, ...rest }: StoredObject): JsonObject {
  return rest;
}
