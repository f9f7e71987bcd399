import { type ApiCore, timestamp, type WriteOptions } from '@/sandbox/api/api-core';
import { alreadyExists, ApiStatus, forbidden, invalid, notFound } from '@/sandbox/api/objects/api-status';
import { completeObject } from '@/sandbox/api/canonical';
import { trackFields } from '@/sandbox/api/managed-fields';
import { resourceName, type ResourceKind } from '@/sandbox/api/objects/resource-kind';
import { type StoredObject } from '@/sandbox/api/objects/stored-object';
import { validateMetadata } from '@/sandbox/api/objects/validation';

const NAMESPACE = { group: '', kind: 'namespaces' };

/** Stores a new object. The call owns `draft` and changes it. Throws ApiStatus. */
export function createObject(
  core: ApiCore,
  kind: ResourceKind,
  namespace: string,
  draft: StoredObject,
  options: WriteOptions,
): StoredObject {
  const resource = { group: kind.group, kind: kind.plural };
  const collection = resourceName(kind);
  if (draft.metadata.resourceVersion !== '')
    throw new ApiStatus(500, '', 'resourceVersion should not be set on objects to be created');
  giveName(core, draft);
  if (kind.namespaced) assertNamespace(core, resource, namespace, draft.metadata.name);
  const time = timestamp(core.now());
  setSystemFields(core, kind, draft, time);
  const next = completeObject(kind, draft, options);
  kind.strategy.prepareCreate?.(next, { time });
  const causes = [...validateMetadata(next.metadata), ...(kind.strategy.validate?.(next) ?? [])];
  if (causes.length > 0) throw invalid({ group: kind.group, kind: kind.kind }, next.metadata.name, causes);
  const tracked = trackFields(kind, next, undefined, { ...options, time, subresource: '' });
  kind.strategy.admit?.(tracked);
  if (core.store.get(collection, namespace, next.metadata.name) !== undefined)
    throw alreadyExists(resource, next.metadata.name);
  if (options.dryRun) return withoutVersion(tracked);
  const stored = core.store.put(collection, tracked);
  core.collectGarbage();

  return stored;
}

function withoutVersion(object: StoredObject): StoredObject {
  const { resourceVersion: _version, ...metadata } = object.metadata;

  return { ...object, metadata: metadata as StoredObject['metadata'] };
}

function giveName(core: ApiCore, { metadata }: StoredObject): void {
  const { generateName } = metadata;
  if (metadata.name === '' && typeof generateName === 'string' && generateName !== '') {
    metadata.name = `${generateName.slice(0, 58)}${core.ids.suffix()}`;
  }
}

function assertNamespace(
  core: ApiCore,
  resource: { group: string; kind: string },
  namespace: string,
  name: string,
): void {
  const found = core.store.get('namespaces', '', namespace);
  if (found === undefined) throw notFound(NAMESPACE, namespace);
  if (found.metadata.deletionTimestamp !== undefined) {
    const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
    throw forbidden(resource, name, why);
  }
}

function setSystemFields(core: ApiCore, kind: ResourceKind, draft: StoredObject, time: string): void {
  const { metadata } = draft;
  metadata.uid = core.ids.uid();
  metadata.creationTimestamp = time;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  if (kind.hasGeneration) metadata.generation = 1;
  else delete metadata.generation;
  dropEmpty(draft);
}

/** Empty maps and lists of metadata are the same as none. */
export function dropEmpty({ metadata }: StoredObject): void {
  for (const key of ['labels', 'annotations', 'ownerReferences', 'finalizers', 'managedFields'] as const) {
    const value = metadata[key];
    if (value !== undefined && Object.keys(value).length === 0) delete metadata[key];
  }
}
