import { isJsonObject, type JsonObject } from '@/lib/kube/json';
import { type ApiCore, type WriteOptions } from '@/sandbox/api/api-core';
import { type ApiRequest, fieldManagerOf, isDryRun, jsonBody } from '@/sandbox/api/api-request';
import { badRequest, methodNotAllowed, noSuchResource } from '@/sandbox/api/objects/api-status';
import { bindPod } from '@/sandbox/api/bind-pod';
import { createObject } from '@/sandbox/api/create-object';
import { decodeObject } from '@/sandbox/api/decode';
import { deleteObject, parseDeleteOptions } from '@/sandbox/api/delete-object';
import { assertReached, listObjects } from '@/sandbox/api/list-objects';
import { parsePatch, originOf } from '@/sandbox/api/patch';
import {
  parseAccept,
  PLAIN,
  type Representation,
  representList,
  representObject,
} from '@/sandbox/api/representation';
import { type ResourceTarget } from '@/sandbox/api/request-path';
import { groupVersion, type ResourceKind, SUBRESOURCE_VERBS } from '@/sandbox/api/objects/resource-kind';
import { readScale, scaleOf, withReplicas } from '@/sandbox/api/objects/scale';
import { parseSelection } from '@/sandbox/api/selection';
import { APPLY, applyObject } from '@/sandbox/api/server-side-apply';
import { type StoredObject } from '@/sandbox/api/objects/stored-object';
import { fromStored, readObject, updateObject, type UpdateOptions } from '@/sandbox/api/update-object';

/** A complete response. */
export interface Reply {
  readonly code: number;
  readonly body: JsonObject;
}

/** A request for objects; the namespace is empty for cluster scope. */
interface Call extends ResourceTarget {
  readonly core: ApiCore;
  readonly kind: ResourceKind;
  readonly request: ApiRequest;
  readonly form: Representation;
}

/** Answers all object requests except watches and logs. Throws ApiStatus. */
export function handleResource(
  core: ApiCore,
  kind: ResourceKind,
  target: ResourceTarget,
  request: ApiRequest,
): Reply {
  const form = parseAccept(request.accept, request.query);
  const namespace = kind.namespaced ? target.namespace : '';
  const call = { ...target, namespace, core, kind, request, form };
  if (target.subresource === '') return handleObject(call);
  const subresource = kind.subresources.find((known) => known === target.subresource);
  if (subresource === undefined || subresource === 'log') throw noSuchResource();
  if (!SUBRESOURCE_VERBS[subresource].includes(request.verb)) throw methodNotAllowed();
  switch (subresource) {
    case 'scale':
      return handleScale(call);
    case 'binding':
      return {
        code: 201,
        body: bindPod(core, kind, namespace, target.name, jsonBody(request), writeOptions(call)),
      };
    case 'status':
      if (request.verb === 'get')
        return show(call, readObject(core, kind, namespace, target.name, target.version));
      return request.verb === 'patch' ? patch(call, subresource) : show(call, update(call, subresource));
    default:
      return subresource satisfies never;
  }
}

function handleObject(call: Call): Reply {
  const { core, kind, request, namespace, name, version } = call;
  switch (request.verb) {
    case 'get':
      assertReached(core, request.query);
      return show(call, readObject(core, kind, namespace, name, version));
    case 'list':
      return list(call);
    case 'create':
      return show(call, create(call), 201);
    case 'update':
      return show(call, update(call, ''));
    case 'patch':
      return patch(call, '');
    case 'delete':
      return remove(call);
    case 'deletecollection':
      return removeAll(call);
    default:
      throw methodNotAllowed();
  }
}

function show({ kind, form, core }: Call, object: StoredObject, code = 200): Reply {
  return { code, body: representObject(kind, form, object, core.now()) };
}

function list({ core, kind, form, version, namespace, request: { query } }: Call): Reply {
  const selection = parseSelection(kind, namespace, query);
  const { objects, metadata } = listObjects(core, kind, version, selection, query);

  return {
    code: 200,
    body: representList(kind, form, objects, metadata, groupVersion(kind.group, version), core.now()),
  };
}

function writeOptions({ request, version }: Call): WriteOptions {
  const validation = request.query.get('fieldValidation');

  return {
    manager: fieldManagerOf(request),
    dryRun: isDryRun(request),
    version,
    fieldValidation: validation === 'Strict' || validation === 'Ignore' ? validation : 'Warn',
    warn: (text) => request.warnings.push(text),
  };
}

function create(call: Call): StoredObject {
  const { core, kind, request, namespace, name, version } = call;
  if (name !== '' || (kind.namespaced && namespace === '')) throw methodNotAllowed();
  const draft = decodeObject(kind, version, jsonBody(request), { namespace });

  return fromStored(kind, version, createObject(core, kind, namespace, draft, writeOptions(call)));
}

function update(call: Call, subresource: UpdateOptions['subresource']): StoredObject {
  const { core, kind, request, namespace, name, version } = call;
  if (name === '') throw methodNotAllowed();
  const draft = decodeObject(kind, version, jsonBody(request), { namespace, name });

  return updateObject(core, kind, namespace, name, () => draft, { ...writeOptions(call), subresource });
}

function patch(call: Call, subresource: UpdateOptions['subresource']): Reply {
  const { core, kind, request, namespace, name, version } = call;
  if (name === '') throw methodNotAllowed();
  const text = request.body.toString('utf8');
  const options = { ...writeOptions(call), subresource };
  if (request.contentType === APPLY) {
    const { code, object } = applyObject(core, kind, { namespace, name }, text, request.query, options);
    return show(call, object, code);
  }
  const apply = parsePatch(kind, request.contentType, text);
  const change = (present: StoredObject) => decodeObject(kind, version, apply(present), { namespace, name });

  const patched = updateObject(core, kind, namespace, name, change, {
    ...options,
    patch: originOf(request.contentType, text),
  });
  return show(call, patched);
}

function remove({ core, kind, request, namespace, name, version }: Call): Reply {
  const options = parseDeleteOptions(optionalBody(request), request.query, isDryRun(request));
  const { object, isGone } = deleteObject(core, kind, namespace, name, options);
  if (!isGone || RETURNED.has(kind.kind)) return { code: 200, body: fromStored(kind, version, object) };

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

function removeAll(call: Call): Reply {
  const { core, kind, request, namespace } = call;
  if (kind.namespaced && namespace === '') throw methodNotAllowed();
  const options = parseDeleteOptions(optionalBody(request), request.query, isDryRun(request));
  const listed = list({ ...call, form: PLAIN });
  const selection = parseSelection(kind, namespace, request.query);
  for (const { metadata } of listObjects(core, kind, call.version, selection, request.query).objects) {
    if (core.store.byUid(metadata.uid) === undefined) continue;
    deleteObject(core, kind, namespace, metadata.name, { ...options, preconditions: {} });
  }
  return listed;
}

function optionalBody(request: ApiRequest) {
  return request.body.length === 0 ? undefined : jsonBody(request);
}

function handleScale(call: Call): Reply {
  const { core, kind, request, namespace, name, version } = call;
  const scale = () => scaleOf(kind, readObject(core, kind, namespace, name, version));
  if (request.verb === 'get') return { code: 200, body: scale() };
  const next =
    request.verb === 'patch'
      ? parsePatch(kind, request.contentType, request.body.toString('utf8'))(scale())
      : jsonBody(request);
  if (!isJsonObject(next)) throw badRequest('the object provided is unrecognized (must be of type Scale)');
  const wanted = readScale(kind, name, next);
  const stored = updateObject(core, kind, namespace, name, (present) => withReplicas(kind, present, wanted), {
    ...writeOptions(call),
    subresource: 'scale',
  });

  return { code: 200, body: scaleOf(kind, stored) };
}
