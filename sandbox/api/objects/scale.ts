import type { Json, JsonObject } from '@/lib/kube/json';
import { badRequest, invalid } from '@/sandbox/api/objects/api-status';
import type { ResourceKind, ScalePaths } from '@/sandbox/api/objects/resource-kind';
import {
  listOrEmptyAt,
  numberOrZeroAt,
  objectOrEmptyAt,
  showJson,
  type StoredObject,
  textOrEmptyAt,
} from '@/sandbox/api/objects/stored-object';
import { nonNegative } from '@/sandbox/api/objects/validation';

/**
 * The desired and current replicas of an object. Throws ApiStatus.
 * https://kubernetes.io/docs/reference/kubernetes-api/autoscaling/scale-v1/
 */
export function scaleOf({ scale }: ResourceKind, object: StoredObject): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const paths = scale ?? NATIVE;
  const replicas = numberOrZeroAt(object, ...paths.replicas);
  const selector =
    paths.selector === undefined
      ? selectorText(objectOrEmptyAt(object, 'spec', 'selector'))
      : textOrEmptyAt(object, ...paths.selector);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: numberOrZeroAt(object, ...paths.statusReplicas), selector },
  };
}

const NATIVE: ScalePaths = {
  replicas: ['spec', 'replicas'],
  statusReplicas: ['status', 'replicas'],
  selector: undefined,
};

interface DesiredScale {
  readonly replicas: number;
  readonly resourceVersion: string;
}

/** Throws ApiStatus. */
export function readScale(name: string, scale: JsonObject): DesiredScale {
  const theirs = textOrEmptyAt(scale, 'metadata', 'name');
  if (theirs !== '' && theirs !== name)
    throw badRequest(`the name of the object (${theirs}) does not match the name on the URL (${name})`);
  const { replicas = 0 } = objectOrEmptyAt(scale, 'spec');
  if (typeof replicas !== 'number' || !Number.isInteger(replicas))
    throw badRequest('spec.replicas must be a whole number');
  const negative = nonNegative(objectOrEmptyAt(scale, 'spec'), 'replicas', 'spec.replicas');
  if (negative.length > 0) throw invalid({ group: 'autoscaling', kind: 'Scale' }, name, ...negative);
  return { replicas, resourceVersion: textOrEmptyAt(scale, 'metadata', 'resourceVersion') };
}

export function withReplicas(
  { scale }: ResourceKind,
  present: StoredObject,
  { replicas, resourceVersion }: DesiredScale,
): StoredObject {
  const path = (scale ?? NATIVE).replicas;
  const metadata = { ...present.metadata };
  if (resourceVersion !== '') metadata.resourceVersion = resourceVersion;
  return { ...withValue(present, path, replicas), metadata } as StoredObject;
}

function withValue(object: JsonObject, [name = '', ...rest]: readonly string[], value: Json): JsonObject {
  return {
    ...object,
    [name]: rest.length === 0 ? value : withValue(objectOrEmptyAt(object, name), rest, value),
  };
}

/** A selector as text, as `kubectl -l` accepts it. */
export function selectorText(selector: JsonObject): string {
  const labels = Object.entries(objectOrEmptyAt(selector, 'matchLabels'))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${showJson(value)}`);
  const expressions = listOrEmptyAt(selector, 'matchExpressions').map((expression) => {
    const [key, operator] = [textOrEmptyAt(expression, 'key'), textOrEmptyAt(expression, 'operator')];
    const values = listOrEmptyAt(expression, 'values').map(String).sort().join(',');
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
