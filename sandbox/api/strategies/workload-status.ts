import { type Cause } from '@/sandbox/api/objects/api-status';
import { numberOrZeroAt, objectOrEmptyAt, type StoredObject } from '@/sandbox/api/objects/stored-object';
import { invalidValue, nonNegative } from '@/sandbox/api/objects/validation';

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
 * No count exceeds the total. `ready` is the name of the ready ones in the message.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/apis/apps/validation/validation.go
 */
function validateCounts(object: StoredObject, parts: readonly string[], ready: string): Cause[] {
  const status = objectOrEmptyAt(object, 'status');
  const total = numberOrZeroAt(status, 'replicas');
  const available = numberOrZeroAt(status, 'availableReplicas');
  const isMore = available > numberOrZeroAt(status, 'readyReplicas');

  return [
    ...['replicas', ...parts].flatMap((key) => nonNegative(status, key, `status.${key}`)),
    ...parts.flatMap((key) => {
      const count = numberOrZeroAt(status, key);
      return count > total
        ? [invalidValue(`status.${key}`, count, 'cannot be greater than status.replicas')]
        : [];
    }),
    ...(isMore
      ? [invalidValue('status.availableReplicas', available, `cannot be greater than ${ready}`)]
      : []),
  ];
}
