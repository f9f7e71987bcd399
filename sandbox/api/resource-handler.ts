import { isJsonObject, type JsonObject } from '@/lib/kube/json';
import { type ApiCore, type WriteOptions } from '@/sandbox/api/api-core';
import { type ApiRequest, fieldManagerOf, isDryRun, jsonBody } from '@/sandbox/api/api-request';
import {
  ApiStatus,
  badRequest,
  invalid,
  methodNotAllowed,
  noSuchResource,
} from '@/sandbox/api/objects/api-status';
import { bindPod } from '@/sandbox/api/bind-pod';
import { createObject } from '@/sandbox/api/create-object';
import { decodeObject } from '@/sandbox/api/decode';
import { deleteObject, parseDeleteOptions } from '@/sandbox/api/delete-object';
import { assertReached, listObjects } from '@/sandbox/api/list-objects';
import { parsePatch, originOf } from '@/sandbox/api/patch';
import {
  parseAccept,
  type Representation,
  representList,
  representObject,
} from '@/sandbox/api/representation';
import { type ResourceTarget } from '@/sandbox/api/request-path';
import {
  resourceName,
  groupVersion,
  type ResourceKind,
  SUBRESOURCE_VERBS,
} from '@/sandbox/api/objects/resource-kind';
import { readScale, scaleOf, withReplicas } from '@/sandbox/api/objects/scale';
import { parseSelection } from '@/sandbox/api/selection';
import { type StoredObject } from '@/sandbox/api/objects/stored-object';
import { immutableField } from '@/sandbox/api/objects/validation';
import { fromStored, readObject, updateObject, type UpdateOptions } from '@/sandbox/api/update-object';

/** A complete response. */
export interface Reply {
  readonly code: number;
  readonly body: JsonObject;
}

const APPLY = 'application/apply-patch+yaml';

/** Answers all object requests except watches and logs. Throws ApiStatus. */
export function handleResource(
  core: ApiCore,
  kind: ResourceKind,
  target: ResourceTarget,
  request: ApiRequest,
): Reply {
  const form = parseAccept(request.accept, request.query);
  const namespace = kind.namespaced ? target.namespace : '';
  const show = (code: number, object: StoredObject): Reply => ({
    code,
    body: representObject(kind, form, object, core.now()),
  });
  if (target.subresource !== '')
    return handleSubresource(core, kind, { ...target, namespace }, request, show);
  switch (request.verb) {
    case 'get':
      assertReached(core, request.query);
      return show(200, readObject(core, kind, namespace, target.name, target.version));
    case 'list':
      return list(core, kind, target.version, namespace, request, form);
    case 'create':
      return show(201, create(core, kind, { ...target, namespace }, request));
    case 'update':
      return update(core, kind, { ...target, namespace }, request, show);
    case 'patch':
      return show(200, patch(core, kind, { ...target, namespace }, request, ''));
    case 'delete':
      return remove(core, kind, { ...target, namespace }, request);
    case 'deletecollection':
      return removeAll(core, kind, target.version, namespace, request);
    default:
      throw methodNotAllowed();
  }
}

type Show = (code: number, object: StoredObject) => Reply;

function list(
  core: ApiCore,
  kind: ResourceKind,
  version: string,
  namespace: string,
  { query }: ApiRequest,
  form: Representation,
): Reply {
  const selection = parseSelection(kind, namespace, query);
  const { objects, metadata } = listObjects(core, kind, version, selection, query);

  return {
    code: 200,
    body: representList(kind, form, objects, metadata, groupVersion(kind.group, version), core.now()),
  };
}

function writeOptions(request: ApiRequest, version: string): WriteOptions {
  const validation = request.query.get('fieldValidation');

  return {
    manager: fieldManagerOf(request),
    dryRun: isDryRun(request),
    version,
    fieldValidation: validation === 'Strict' || validation === 'Ignore' ? validation : 'Warn',
    warn: (text) => request.warnings.push(text),
  };
}

function create(
  core: ApiCore,
  kind: ResourceKind,
  target: ResourceTarget,
  request: ApiRequest,
): StoredObject {
  if (target.name !== '') throw methodNotAllowed();
  if (kind.namespaced && target.namespace === '') throw methodNotAllowed();
  const draft = decodeObject(kind, target.version, jsonBody(request), { namespace: target.namespace });
  const stored = createObject(core, kind, target.namespace, draft, writeOptions(request, target.version));

  return fromStored(kind, target.version, stored);
}

function update(
  core: ApiCore,
  kind: ResourceKind,
  target: ResourceTarget,
  request: ApiRequest,
  show: Show,
): Reply {
  if (target.name === '') throw methodNotAllowed();
  const { namespace, name, version } = target;
  const draft = decodeObject(kind, version, jsonBody(request), { namespace, name });
  const options = { ...writeOptions(request, version), subresource: '' } as const;
  const isThere = core.store.get(resourceName(kind), namespace, name) !== undefined;
  if (!isThere && kind.createOnUpdate) {
    draft.metadata.resourceVersion = '';
    return show(201, fromStored(kind, version, createObject(core, kind, namespace, draft, options)));
  }
  return show(
    200,
    updateObject(core, kind, namespace, name, () => draft, options),
  );
}

function patch(
  core: ApiCore,
  kind: ResourceKind,
  { namespace, name, version }: ResourceTarget,
  request: ApiRequest,
  subresource: UpdateOptions['subresource'],
): StoredObject {
  if (name === '') throw methodNotAllowed();
  if (request.contentType === APPLY) {
    throw new ApiStatus(415, 'UnsupportedMediaType', 'the sandbox does not offer server-side apply', {});
  }
  const text = request.body.toString('utf8');
  const apply = parsePatch(kind, request.contentType, text);

  return updateObject(
    core,
    kind,
    namespace,
    name,
    (present) => {
      const next = decodeObject(kind, version, apply(present), { namespace, name });
      const { uid } = next.metadata;
      if (uid !== '' && uid !== present.metadata.uid) {
        const cause = immutableField('metadata.uid', uid);
        throw invalid({ group: kind.group, kind: kind.kind }, name, [cause]);
      }
      return next;
    },
    { ...writeOptions(request, version), subresource, patch: originOf(request.contentType, text) },
  );
}

function remove(core: ApiCore, kind: ResourceKind, target: ResourceTarget, request: ApiRequest): Reply {
  const options = parseDeleteOptions(optionalBody(request), request.query, isDryRun(request));
  const { object, isGone } = deleteObject(core, kind, target.namespace, target.name, options);
  if (!isGone || RETURNED.has(kind.kind))
    return { code: 200, body: fromStored(kind, target.version, object) };

  return { code: 200, body: successBody(kind, object) };
}

/** The kinds whose deletion is answered with the object itself. */
const RETURNED = new Set(['Pod', 'Service', 'ServiceAccount', 'PersistentVolumeClaim', 'ResourceQuota']);

function successBody({ group, plural }: ResourceKind, { metadata }: StoredObject): JsonObject {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name: metadata.name, ...(group === '' ? {} : { group }), kind: plural, uid: metadata.uid },
  };
}

function removeAll(
  core: ApiCore,
  kind: ResourceKind,
  version: string,
  namespace: string,
  request: ApiRequest,
): Reply {
  if (kind.namespaced && namespace === '') throw methodNotAllowed();
  const options = parseDeleteOptions(optionalBody(request), request.query, isDryRun(request));
  const selection = parseSelection(kind, namespace, request.query);
  const { objects, metadata } = listObjects(core, kind, version, selection, request.query);
  for (const object of objects) {
    const { uid, name, namespace: its = '' } = object.metadata;
    if (core.store.byUid(uid) === undefined) continue;
    deleteObject(core, kind, its, name, { ...options, preconditions: {} });
  }
  return {
    code: 200,
    body: {
      kind: `${kind.kind}List`,
      apiVersion: groupVersion(kind.group, version),
      metadata,
      items: objects.map(({ apiVersion: _version, kind: _kind, ...item }) => item),
    },
  };
}

function optionalBody(request: ApiRequest) {
  return request.body.length === 0 ? undefined : jsonBody(request);
}

function handleSubresource(
  core: ApiCore,
  kind: ResourceKind,
  target: ResourceTarget,
  request: ApiRequest,
  show: Show,
): Reply {
  const { namespace, name, version } = target;
  const subresource = kind.subresources.find((known) => known === target.subresource);
  if (subresource === undefined) throw noSuchResource();
  if (!SUBRESOURCE_VERBS[subresource].includes(request.verb)) throw methodNotAllowed();
  switch (subresource) {
    case 'scale':
      return handleScale(core, kind, target, request);
    case 'binding':
      return {
        code: 201,
        body: bindPod(core, kind, namespace, name, jsonBody(request), writeOptions(request, version)),
      };
    case 'status':
    case 'finalize': {
      if (request.verb === 'get') return show(200, readObject(core, kind, namespace, name, version));
      if (request.verb === 'patch') return show(200, patch(core, kind, target, request, subresource));
      const draft = decodeObject(kind, version, jsonBody(request), { namespace, name });
      return show(
        200,
        updateObject(core, kind, namespace, name, () => draft, {
          ...writeOptions(request, version),
          subresource,
        }),
      );
    }
    case 'log':
    case 'eviction':
      throw noSuchResource();
    default:
      return subresource satisfies never;
  }
}

function handleScale(core: ApiCore, kind: ResourceKind, target: ResourceTarget, request: ApiRequest): Reply {
  const { namespace, name, version } = target;
  const scale = () => scaleOf(kind, readObject(core, kind, namespace, name, version));
  if (request.verb === 'get') return { code: 200, body: scale() };
  const next =
    request.verb === 'patch'
      ? parsePatch(kind, request.contentType, request.body.toString('utf8'))(scale())
      : jsonBody(request);
  if (!isJsonObject(next)) throw badRequest('the object provided is unrecognized (must be of type Scale)');
  const wanted = readScale(kind, name, next);
  const stored = updateObject(core, kind, namespace, name, (present) => withReplicas(kind, present, wanted), {
    ...writeOptions(request, version),
    subresource: 'scale',
  });

  return { code: 200, body: scaleOf(kind, stored) };
}
