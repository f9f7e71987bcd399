import { isJsonObject, type JsonObject } from '@/lib/kube/json';
import { badRequest, invalid } from '@/server/sandbox/api/api-status';
import { type ResourceKind } from '@/server/sandbox/api/resource-kind';
import {
  listAt,
  numberAt,
  objectAt,
  showJson,
  type StoredObject,
  textAt,
} from '@/server/sandbox/api/stored-object';
import { invalidValue } from '@/server/sandbox/api/validation';

/** How many copies an object asks for and has. https://kubernetes.io/docs/reference/kubernetes-api/autoscaling/scale-v1/ */
export function scaleOf(object: StoredObject): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const { replicas = 0 } = objectAt(object, 'spec');
  const selector = selectorText(objectAt(object, 'spec', 'selector'));

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
      replicas: numberAt(object, 'status', 'replicas'),
      ...(selector === '' ? {} : { selector }),
    },
  };
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

export function withReplicas(present: StoredObject, replicas: number, resourceVersion: string): StoredObject {
  const spec = isJsonObject(present.spec) ? present.spec : {};

  return {
    ...present,
    metadata: { ...present.metadata, ...(resourceVersion === '' ? {} : { resourceVersion }) },
    spec: { ...spec, replicas },
  };
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
