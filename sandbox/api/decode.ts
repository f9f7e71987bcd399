import { isJsonObject, type Json, type JsonObject, memberOf } from '@/lib/kube/json';
import { badRequest } from '@/sandbox/api/objects/api-status';
import { groupVersion, type ResourceKind } from '@/sandbox/api/objects/resource-kind';
import { showJson, type StoredObject } from '@/sandbox/api/objects/stored-object';

/**
 * A body as an object of the kind, with type and name filled in from the request path. Throws ApiStatus 400
 * when it is of another kind, or names another object or namespace.
 */
export function decodeObject(
  kind: ResourceKind,
  version: string,
  body: Json,
  place: { namespace: string; name?: string },
): StoredObject {
  if (!isJsonObject(body)) {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind.kind}): couldn't get version/kind; json parse error: not an object`,
    );
  }
  const apiVersion = groupVersion(kind.group, version);
  assertType(kind, apiVersion, body);
  const metadata = isJsonObject(body.metadata) ? body.metadata : {};
  assertPlace(kind, metadata, place);
  const {
    namespace: _namespace,
    selfLink: _link,
    uid = '',
    resourceVersion = '',
    creationTimestamp,
    ...rest
  } = metadata;

  return {
    ...body,
    apiVersion,
    kind: kind.kind,
    metadata: {
      ...withoutNulls(rest),
      name: typeof rest.name === 'string' ? rest.name : '',
      ...(kind.namespaced ? { namespace: place.namespace } : {}),
      uid: typeof uid === 'string' ? uid : '',
      resourceVersion: typeof resourceVersion === 'string' ? resourceVersion : '',
      creationTimestamp: typeof creationTimestamp === 'string' ? creationTimestamp : '',
    },
  };
}

function assertType({ kind }: ResourceKind, apiVersion: string, body: JsonObject): void {
  const [theirVersion, theirKind] = [showJson(body.apiVersion), showJson(body.kind)];
  if ((theirKind || kind) !== kind || (theirVersion || apiVersion) !== apiVersion)
    throw badRequest(`${theirKind} of ${theirVersion} cannot be handled as a ${kind} of ${apiVersion}`);
}

function assertPlace(
  kind: ResourceKind,
  metadata: JsonObject,
  { namespace, name }: { namespace: string; name?: string },
): void {
  const theirs = memberOf(metadata, 'namespace') ?? '';
  if (kind.namespaced && theirs !== '' && theirs !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  const theirName = memberOf(metadata, 'name') ?? '';
  if (name !== undefined && theirName === '')
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  if (name !== undefined && theirName !== name) {
    throw badRequest(
      `the name of the object (${showJson(theirName)}) does not match the name on the URL (${name})`,
    );
  }
}

function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}
