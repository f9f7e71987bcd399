import { type Cause } from '@/server/sandbox/api/api-status';
import { numberAt, objectAt, type StoredObject } from '@/server/sandbox/api/stored-object';
import { invalidValue, nonNegative } from '@/server/sandbox/api/validation';

export function deploymentStatus(deployment: StoredObject): Cause[] {
  return validateCounts(
    deployment,
    ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
    'readyReplicas',
  );
}

export function replicaSetStatus(replicaSet: StoredObject): Cause[] {
  return validateCounts(
    replicaSet,
    ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
    'readyReplicas',
  );
}

export function statefulSetStatus(statefulSet: StoredObject): Cause[] {
  return validateCounts(
    statefulSet,
    ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
    'status.readyReplicas',
  );
}

/**
 * No part is more than the whole. `ready` is how the message calls the ready ones.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/apis/apps/validation/validation.go
 */
function validateCounts(object: StoredObject, parts: readonly string[], ready: string): Cause[] {
  const status = objectAt(object, 'status');
  const total = numberAt(status, 'replicas');
  const available = numberAt(status, 'availableReplicas');
  const isMore = available > numberAt(status, 'readyReplicas');

  return [
    ...['replicas', ...parts].flatMap((key) => nonNegative(status, key, `status.${key}`)),
    ...parts.flatMap((key) => {
      const count = numberAt(status, key);
      return count > total
        ? [invalidValue(`status.${key}`, count, 'cannot be greater than status.replicas')]
        : [];
    }),
    ...(isMore
      ? [invalidValue('status.availableReplicas', available, `cannot be greater than ${ready}`)]
      : []),
  ];
}
