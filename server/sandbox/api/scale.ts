import { type Json, type JsonObject } from '@/lib/kube/json';
import { ApiStatus, badRequest, invalid } from '@/server/sandbox/api/api-status';
import { type ResourceKind, type ScalePaths } from '@/server/sandbox/api/resource-kind';
import {
  listAt,
  numberAt,
  objectAt,
  showJson,
  type StoredObject,
  textAt,
} from '@/server/sandbox/api/stored-object';
import { invalidValue } from '@/server/sandbox/api/validation';

/**
 * How many copies an object asks for and has. Throws ApiStatus.
 * https://kubernetes.io/docs/reference/kubernetes-api/autoscaling/scale-v1/
 */
export function scaleOf({ scale }: ResourceKind, object: StoredObject): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const { replicas, statusReplicas, selector } =
    scale === undefined ? nativeScale(object) : customScale(scale, object);

  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid,
      resourceVersion,
      creationTimestamp,
    },
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: statusReplicas,
      ...(selector === '' ? {} : { selector }),
    },
  };
}

interface ScaleValues {
  readonly replicas: Json;
  readonly statusReplicas: number;
  readonly selector: string;
}

function nativeScale(object: StoredObject): ScaleValues {
  return {
    replicas: objectAt(object, 'spec').replicas ?? 0,
    statusReplicas: numberAt(object, 'status', 'replicas'),
    selector: selectorText(objectAt(object, 'spec', 'selector')),
  };
}

/** https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#scale-subresource */
function customScale({ replicas, statusReplicas, selector }: ScalePaths, object: StoredObject): ScaleValues {
  const wanted = objectAt(object, ...replicas.slice(0, -1))[replicas.at(-1) ?? ''];
  if (wanted === undefined) throw noReplicas(replicas);
  return {
    replicas: wanted,
    statusReplicas: numberAt(object, ...statusReplicas),
    selector: selector === undefined ? '' : textAt(object, ...selector),
  };
}

function noReplicas(path: readonly string[]): ApiStatus {
  const message = `Internal error occurred: the spec replicas field ".${path.join('.')}" does not exist`;
  return new ApiStatus(500, 'InternalError', message);
}

export interface WantedScale {
  readonly replicas: number;
  readonly resourceVersion: string;
}

/** Throws ApiStatus. */
export function readScale(kind: ResourceKind, name: string, scale: JsonObject): WantedScale {
  const theirs = textAt(scale, 'metadata', 'name');
  if (theirs !== '' && theirs !== name)
    throw badRequest(`the name of the object (${theirs}) does not match the name on the URL (${name})`);
  const { replicas = 0 } = objectAt(scale, 'spec');
  if (typeof replicas !== 'number' || !Number.isInteger(replicas))
    throw badRequest('spec.replicas must be a whole number');
  if (replicas < 0) {
    throw invalid({ group: 'autoscaling', kind: 'Scale' }, name, [
      invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0'),
    ]);
  }
  return { replicas, resourceVersion: textAt(scale, 'metadata', 'resourceVersion') };
}

export function withReplicas(
  { scale }: ResourceKind,
  present: StoredObject,
  { replicas, resourceVersion }: WantedScale,
): StoredObject {
  const path = scale?.replicas ?? ['spec', 'replicas'];
  const { apiVersion, kind } = present;
  return {
    ...withValue(present, path, replicas),
    apiVersion,
    kind,
    metadata: { ...present.metadata, ...(resourceVersion === '' ? {} : { resourceVersion }) },
  };
}

function withValue(object: JsonObject, [name = '', ...rest]: readonly string[], value: Json): JsonObject {
  return { ...object, [name]: rest.length === 0 ? value : withValue(objectAt(object, name), rest, value) };
}

/** A selector as text, as `kubectl -l` takes it. */
export function selectorText(selector: JsonObject): string {
  const labels = Object.entries(objectAt(selector, 'matchLabels'))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${showJson(value)}`);
  const expressions = listAt(selector, 'matchExpressions').map((expression) => {
    const [key, operator] = [textAt(expression, 'key'), textAt(expression, 'operator')];
    const values = listAt(expression, 'values').map(String).sort().join(',');
    switch (operator) {
      case 'In':
        return `${key} in (${values})`;
      case 'NotIn':
        return `${key} notin (${values})`;
      case 'DoesNotExist':
        return `!${key}`;
      default:
        return key;
    }
  });

  return [...labels, ...expressions].join(',');
}
