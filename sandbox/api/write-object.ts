import { deepEqual, isJsonObject, type Json, type JsonObject, memberOf } from '@/lib/kube/json';
import { type ApiCore, type ObjectPlace, timestamp, type WriteOptions } from '@/sandbox/api/api-core';
import { comparableForm, completeObject } from '@/sandbox/api/canonical';
import { holdBackRollout } from '@/sandbox/api/kruise-workload-webhook';
import { trackFields } from '@/sandbox/api/managed-fields';
import {
  alreadyExists,
  ApiStatus,
  badRequest,
  conflict,
  forbidden,
  invalid,
  notFound,
} from '@/sandbox/api/objects/api-status';
import { groupVersion, resourceName, type ResourceKind } from '@/sandbox/api/objects/resource-kind';
import { copyJson, showJson, type StoredObject } from '@/sandbox/api/objects/stored-object';
import { validateMetadata } from '@/sandbox/api/objects/validation';

/**
 * A body as an object of the kind, with type and name filled in from the request path. Throws ApiStatus 400
 * when it is of another kind, or names another object or namespace.
 */
export function decodeObject(place: ObjectPlace, version: string, body: Json): StoredObject {
  const { kind, namespace } = place;
  if (!isJsonObject(body)) {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind.kind}): couldn't get version/kind; json parse error: not an object`,
    );
  }
  const apiVersion = groupVersion(kind.group, version);
  const [theirVersion, theirKind] = [showJson(body.apiVersion), showJson(body.kind)];
  if ((theirKind || kind.kind) !== kind.kind || (theirVersion || apiVersion) !== apiVersion)
    throw badRequest(`${theirKind} of ${theirVersion} cannot be handled as a ${kind.kind} of ${apiVersion}`);
  const given = isJsonObject(body.metadata) ? body.metadata : {};
  assertPlace(place, given);
  const { selfLink: _link, namespace: _namespace, ...members } = given;
  const metadata: JsonObject = {};
  for (const [key, value] of Object.entries(members)) if (value !== null) metadata[key] = value;
  for (const key of ['name', 'uid', 'resourceVersion', 'creationTimestamp'])
    if (typeof metadata[key] !== 'string') metadata[key] = '';
  if (kind.namespaced) metadata.namespace = namespace;
  return { ...body, apiVersion, kind: kind.kind, metadata: metadata as StoredObject['metadata'] };
}

/** Without a name in the path, the object is new. */
function assertPlace({ kind, namespace, name }: ObjectPlace, metadata: JsonObject): void {
  const theirNamespace = memberOf(metadata, 'namespace') ?? '';
  if (kind.namespaced && theirNamespace !== '' && theirNamespace !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  const theirs = memberOf(metadata, 'name') ?? '';
  if (name === '' || theirs === name) return;
  throw badRequest(
    theirs === ''
      ? `the name of the object (${name} based on URL) was undeterminable: name must be provided`
      : `the name of the object (${showJson(theirs)}) does not match the name on the URL (${name})`,
  );
}

/** The object in the version that was requested. Throws ApiStatus 404. */
export function readObject({ store }: ApiCore, place: ObjectPlace, version?: string): StoredObject {
  const { kind, namespace, name } = place;
  const stored = store.get(resourceName(kind), namespace, name);
  if (stored === undefined) throw notFound(kind, name);
  return version === undefined ? stored : fromStored(kind, version, stored);
}

/** A stored object as a client of that version gets it. */
export function fromStored(kind: ResourceKind, version: string, object: StoredObject): StoredObject {
  const apiVersion = groupVersion(kind.group, version);
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}

/** Stores a new object. The call owns `draft` and changes it. Throws ApiStatus. */
export function createObject(
  core: ApiCore,
  kind: ResourceKind,
  draft: StoredObject,
  options: WriteOptions,
): StoredObject {
  const { metadata } = draft;
  const { namespace = '', generateName = '' } = metadata;
  if (metadata.resourceVersion !== '')
    throw new ApiStatus(500, '', 'resourceVersion should not be set on objects to be created');
  if (metadata.name === '' && typeof generateName === 'string' && generateName !== '')
    metadata.name = `${generateName.slice(0, 58)}${core.ids.suffix()}`;
  if (kind.namespaced) assertNamespace(core, kind, namespace, metadata.name);
  const time = timestamp(core.now());
  metadata.uid = core.ids.uid();
  metadata.creationTimestamp = time;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.generation;
  if (kind.hasGeneration) metadata.generation = 1;
  dropEmpty(draft);
  const next = completeObject(kind, draft, options);
  kind.strategy.prepareCreate?.(next, time);
  assertValid(kind, next);
  trackFields(kind, next, undefined, options, time);
  kind.strategy.admit?.(next);
  if (core.store.get(resourceName(kind), namespace, metadata.name) !== undefined)
    throw alreadyExists(kind, metadata.name);
  if (options.dryRun) {
    const { resourceVersion: _version, ...rest } = next.metadata;
    return fromStored(kind, options.version, { ...next, metadata: rest as StoredObject['metadata'] });
  }
  const stored = core.store.put(resourceName(kind), next);
  core.collectGarbage();
  return fromStored(kind, options.version, stored);
}

function assertNamespace({ store }: ApiCore, kind: ResourceKind, namespace: string, name: string): void {
  const found = store.get('namespaces', '', namespace);
  if (found === undefined) throw notFound({ group: '', plural: 'namespaces' }, namespace);
  if (found.metadata.deletionTimestamp === undefined) return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  throw forbidden(kind, name, why);
}

/** Empty maps and lists of metadata are the same as none. */
function dropEmpty({ metadata }: StoredObject): void {
  for (const key of ['labels', 'annotations', 'ownerReferences', 'finalizers', 'managedFields'] as const) {
    const value = metadata[key];
    if (value !== undefined && Object.keys(value).length === 0) delete metadata[key];
  }
}

function assertValid(kind: ResourceKind, next: StoredObject, previous?: StoredObject): void {
  const causes = [
    ...validateMetadata(next.metadata),
    ...(kind.strategy.validate?.(next) ?? []),
    ...((previous && kind.strategy.validateUpdate?.(next, previous)) ?? []),
  ];
  if (causes.length > 0) throw invalid(kind, next.metadata.name, ...causes);
}

/**
 * Stores the next state of an object, which `change` makes from a copy of the current one. An unchanged state
 * is not stored. Throws ApiStatus.
 */
export function updateObject(
  core: ApiCore,
  place: ObjectPlace,
  change: (present: StoredObject) => StoredObject,
  options: WriteOptions,
): StoredObject {
  const { kind } = place;
  const { subresource, version, dryRun } = options;
  const previous = readObject(core, place, version);
  const draft = change(copyJson(previous));
  assertSameVersion(kind, draft, previous);
  keepSystemFields(draft, previous);
  if (subresource === '') holdBackRollout(core, kind, draft, previous);
  const next = completeObject(kind, draft, options);
  restrict(kind, next, previous, subresource);
  assertValid(kind, next, previous);
  // Binding a pod to a node does not change the desired state.
  if (kind.hasGeneration && (subresource === '' || subresource === 'scale'))
    next.metadata.generation =
      (previous.metadata.generation ?? 0) + (isAnother(kind, next, previous) ? 1 : 0);
  trackFields(kind, next, previous, options, timestamp(core.now()));
  if (deepEqual(next, previous)) return previous;
  if (dryRun) return next;
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds = 0 } = next.metadata;
  // Removing the last finalizer of an object that is being deleted deletes it; a namespace must be empty, too.
  const isDone = deletionTimestamp !== undefined && finalizers.length + deletionGracePeriodSeconds === 0;
  const isRemoved = isDone && kind.kind !== 'Namespace';
  const stored = core.store[isRemoved ? 'remove' : 'put'](resourceName(kind), next);
  core.collectGarbage();
  return fromStored(kind, version, stored);
}

function assertSameVersion(
  kind: ResourceKind,
  { metadata: { resourceVersion, uid } }: StoredObject,
  { metadata: previous }: StoredObject,
): void {
  if (resourceVersion !== '' && resourceVersion !== previous.resourceVersion)
    throw conflict(
      kind,
      previous.name,
      'the object has been modified; please apply your changes to the latest version and try again',
    );
  if (uid === '' || uid === previous.uid) return;
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${previous.uid}`;
  throw conflict(kind, previous.name, why);
}

const KEPT = ['deletionTimestamp', 'deletionGracePeriodSeconds', 'generation'] as const;

function keepSystemFields(next: StoredObject, { metadata }: StoredObject): void {
  const { uid, resourceVersion, creationTimestamp } = metadata;
  Object.assign(next.metadata, { uid, resourceVersion, creationTimestamp });
  for (const key of KEPT) {
    delete next.metadata[key];
    if (metadata[key] !== undefined) Object.assign(next.metadata, { [key]: metadata[key] });
  }
  dropEmpty(next);
}

const KEPT_BY_STATUS = new Set(['apiVersion', 'kind', 'metadata', 'status']);

/** A write through one endpoint leaves the fields of the others unchanged. */
function restrict(
  { strategy, subresources }: ResourceKind,
  next: StoredObject,
  previous: StoredObject,
  subresource: WriteOptions['subresource'],
): void {
  if (subresource === 'status') {
    const { managedFields } = next.metadata;
    for (const key of Object.keys(next)) if (!KEPT_BY_STATUS.has(key)) delete next[key];
    for (const key of Object.keys(previous)) if (!KEPT_BY_STATUS.has(key)) next[key] = previous[key];
    if (strategy.keepOnStatusUpdate !== undefined) return strategy.keepOnStatusUpdate(next, previous);
    next.metadata = { ...previous.metadata };
    if (managedFields !== undefined) next.metadata.managedFields = managedFields;
    return;
  }
  if (subresources.includes('status') && subresource !== 'binding') {
    delete next.status;
    if (previous.status !== undefined) next.status = previous.status;
  }
  strategy.prepareUpdate?.(next, previous);
}

/**
 * Whether another state is desired: 1Ki and 1024 are the same one. In a kind without known fields, that is everything but
 * metadata and status. https://pkg.go.dev/k8s.io/apimachinery/pkg/api/equality
 */
function isAnother({ schema, strategy }: ResourceKind, next: StoredObject, previous: StoredObject): boolean {
  if (schema === undefined) return !deepEqual(desiredPart(next), desiredPart(previous));
  if (strategy.changesGeneration?.(next, previous) === true) return true;
  if (deepEqual(next.spec, previous.spec)) return false;
  const [after, before] = [next, previous].map(({ spec = {} }) => comparableForm(schema, { spec }));
  return !deepEqual(after, before);
}

function desiredPart({ metadata: _metadata, status: _status, ...rest }: StoredObject): JsonObject {
  return rest;
}
