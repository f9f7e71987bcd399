import { isJsonObject, type JsonObject } from '@/lib/kube/json';
import { type ApiCore, type ObjectPlace, timestamp, type WriteOptions } from '@/sandbox/api/api-core';
import {
  type ApiRequest,
  fieldManagerOf,
  isDryRun,
  jsonBody,
  type ResourceTarget,
} from '@/sandbox/api/api-request';
import { deleteObject, parseDeleteOptions } from '@/sandbox/api/delete-object';
import { listObjects, parseSelection, reachedVersion } from '@/sandbox/api/list-objects';
import { badRequest, conflict, methodNotAllowed, noSuchResource } from '@/sandbox/api/objects/api-status';
import { type ResourceKind, SUBRESOURCE_VERBS } from '@/sandbox/api/objects/resource-kind';
import { readScale, scaleOf, withReplicas } from '@/sandbox/api/objects/scale';
import {
  listOrEmptyAt,
  objectOrEmptyAt,
  type StoredObject,
  textOrEmptyAt,
} from '@/sandbox/api/objects/stored-object';
import { parsePatch } from '@/sandbox/api/patch';
import { parseAccept, representList, representObject } from '@/sandbox/api/representation';
import { APPLY, applyObject } from '@/sandbox/api/server-side-apply';
import { createObject, decodeObject, fromStored, readObject, updateObject } from '@/sandbox/api/write-object';

/** A complete response. */
interface Reply {
  readonly code: number;
  readonly body: JsonObject;
}

/** Answers all object requests except watches and logs. Throws ApiStatus. */
export function handleResource(
  core: ApiCore,
  kind: ResourceKind,
  target: ResourceTarget,
  request: ApiRequest,
): Reply {
  const as = parseAccept(request.accept, request.query, core.now());
  const namespace = kind.namespaced ? target.namespace : '';
  const place = { kind, namespace, name: target.name };
  const call = { core, kind, place, version: target.version, request };
  const show = (object: StoredObject, code = 200) => ({ code, body: representObject(kind, as, object) });
  const { verb, query } = request;
  const subresource = kind.subresources.find((known) => known === target.subresource) ?? '';
  if (subresource !== target.subresource || subresource === 'log') throw noSuchResource();
  if (subresource !== '' && !SUBRESOURCE_VERBS[subresource].includes(verb)) throw methodNotAllowed();
  if (subresource === 'scale') return { code: 200, body: handleScale(call) };
  if (subresource === 'binding') return { code: 201, body: bindPod(call) };
  const isCollection = target.name === '';
  switch (verb) {
    case 'get':
      reachedVersion(core.store, query);
      return show(readObject(core, place, target.version));
    case 'create': {
      if (!isCollection || (kind.namespaced && namespace === '')) throw methodNotAllowed();
      const draft = decodeObject(place, target.version, jsonBody(request));
      return show(createObject(core, kind, draft, writeOptions(call, '')), 201);
    }
    case 'update': {
      if (isCollection) throw methodNotAllowed();
      const draft = decodeObject(place, target.version, jsonBody(request));
      return show(updateObject(core, place, () => draft, writeOptions(call, subresource)));
    }
    case 'patch': {
      if (isCollection) throw methodNotAllowed();
      const { object, code } = patch(call, subresource);
      return show(object, code);
    }
    case 'delete':
      return remove(call);
    case 'list': {
      const selection = parseSelection(kind, namespace, query);
      const { objects, metadata } = listObjects(core, kind, target.version, selection, query);
      return { code: 200, body: representList(kind, as, objects, metadata, target.version) };
    }
    case 'deletecollection':
      return removeAll(call);
    default:
      throw methodNotAllowed();
  }
}

interface Call {
  readonly core: ApiCore;
  readonly kind: ResourceKind;
  readonly place: ObjectPlace;
  readonly version: string;
  readonly request: ApiRequest;
}

function writeOptions({ request, version }: Call, subresource: WriteOptions['subresource']): WriteOptions {
  const validation = request.query.get('fieldValidation');
  return {
    manager: fieldManagerOf(request),
    dryRun: isDryRun(request),
    version,
    subresource,
    fieldValidation: validation === 'Strict' || validation === 'Ignore' ? validation : 'Warn',
    isPatch: request.verb === 'patch',
    warn: (text) => request.warnings.push(text),
  };
}

function patch(call: Call, subresource: '' | 'status'): { object: StoredObject; code: number } {
  const { core, place, request, version } = call;
  const text = request.body.toString('utf8');
  const options = writeOptions(call, subresource);
  if (request.contentType === APPLY) return applyObject(core, place, text, request.query, options);
  const apply = parsePatch(place.kind, request.contentType, text);
  const change = (present: StoredObject) => decodeObject(place, version, apply(present));
  return { object: updateObject(core, place, change, options), code: 200 };
}

/** The kinds whose deletion is answered with the object itself. */
const RETURNED = new Set(['Pod', 'Service', 'ServiceAccount', 'PersistentVolumeClaim', 'ResourceQuota']);

function remove({ core, kind, place, request, version }: Call): Reply {
  const options = parseDeleteOptions(jsonBody(request), request.query, isDryRun(request));
  const { object, isGone } = deleteObject(core, place, options);
  if (!isGone || RETURNED.has(kind.kind)) return { code: 200, body: fromStored(kind, version, object) };
  const { name, uid } = object.metadata;
  const details: JsonObject = { name, kind: kind.plural, uid };
  if (kind.group !== '') details.group = kind.group;
  return { code: 200, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details } };
}

function removeAll({ core, kind, place, request, version }: Call): Reply {
  const { namespace } = place;
  const { query } = request;
  if (kind.namespaced && namespace === '') throw methodNotAllowed();
  const { propagation, gracePeriodSeconds, dryRun } = parseDeleteOptions(
    jsonBody(request),
    query,
    isDryRun(request),
  );
  const { objects, metadata } = listObjects(
    core,
    kind,
    version,
    parseSelection(kind, namespace, query),
    query,
  );
  for (const object of objects) {
    if (core.store.byUid(object.metadata.uid) === undefined) continue;
    deleteObject(core, { ...place, name: object.metadata.name }, { propagation, gracePeriodSeconds, dryRun });
  }
  const as = { form: 'object', include: null, now: 0 } as const;
  return { code: 200, body: representList(kind, as, objects, metadata, version) };
}

function handleScale(call: Call): JsonObject {
  const { core, kind, place, version, request } = call;
  const scale = () => scaleOf(kind, readObject(core, place, version));
  if (request.verb === 'get') return scale();
  const next =
    request.verb === 'patch'
      ? parsePatch(kind, request.contentType, request.body.toString('utf8'))(scale())
      : jsonBody(request);
  if (!isJsonObject(next)) throw badRequest('the object provided is unrecognized (must be of type Scale)');
  const desired = readScale(place.name, next);
  const change = (present: StoredObject) => withReplicas(kind, present, desired);
  return scaleOf(kind, updateObject(core, place, change, writeOptions(call, 'scale')));
}

/** Binds a pod to a node, once. https://kubernetes.io/docs/reference/kubernetes-api/core/binding-v1/ */
function bindPod(call: Call): JsonObject {
  const { core, place, request } = call;
  const node = textOrEmptyAt(jsonBody(request), 'target', 'name');
  if (node === '') throw badRequest('Binding "" is invalid: target.name: Required value');
  const change = (pod: StoredObject) => {
    const present = textOrEmptyAt(pod, 'spec', 'nodeName');
    const why = `pod ${place.name} is already assigned to node "${present}"`;
    if (present !== '') throw conflict({ group: '', plural: 'pods/binding' }, place.name, why);
    const others = listOrEmptyAt(pod, 'status', 'conditions').filter(
      (condition) => textOrEmptyAt(condition, 'type') !== 'PodScheduled',
    );
    const lastTransitionTime = timestamp(core.now());
    const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime };
    pod.spec = { ...objectOrEmptyAt(pod, 'spec'), nodeName: node };
    pod.status = { ...objectOrEmptyAt(pod, 'status'), conditions: [...others, scheduled] };
    return pod;
  };
  updateObject(core, place, change, writeOptions(call, 'binding'));
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
}
