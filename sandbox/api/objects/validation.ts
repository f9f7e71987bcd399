import type { Json } from '@/lib/kube/json';
import type { Cause } from '@/sandbox/api/objects/api-status';
import { numberOrZeroAt, type StoredMeta } from '@/sandbox/api/objects/stored-object';

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const SUBDOMAIN_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start " +
  `and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`;
const NAME_LENGTH_MAX = 253;
const ANNOTATIONS_BYTES_MAX = 256 * 1024;

/** kubectl checks labels itself. https://github.com/kubernetes/apimachinery/blob/master/pkg/api/validation/objectmeta.go */
export function validateMetadata({ name, annotations = {} }: StoredMeta): Cause[] {
  const field = 'metadata.name';
  if (name === '') return [required(field, 'name or generateName is required')];
  if (name.length > NAME_LENGTH_MAX)
    return [invalidValue(field, name, `must be no more than ${NAME_LENGTH_MAX} characters`)];
  if (!new RegExp(`^${SUBDOMAIN}$`).test(name)) return [invalidValue(field, name, SUBDOMAIN_RULE)];
  if (Buffer.byteLength(Object.entries(annotations).flat().join('')) <= ANNOTATIONS_BYTES_MAX) return [];
  const message = `Too long: may not be more than ${ANNOTATIONS_BYTES_MAX} bytes`;
  return [{ reason: 'FieldValueTooLong', message, field: 'metadata.annotations' }];
}

export function invalidValue(field: string, value: unknown, why: string): Cause {
  return { reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(value)}: ${why}`, field };
}

export function immutableField(field: string, value: unknown): Cause {
  return invalidValue(field, value ?? null, 'field is immutable');
}

export function nonNegative(object: Json, key: string, field: string): Cause[] {
  const value = numberOrZeroAt(object, key);
  return value < 0 ? [invalidValue(field, value, 'must be greater than or equal to 0')] : [];
}

export function required(field: string, why = ''): Cause {
  return {
    reason: 'FieldValueRequired',
    message: why === '' ? 'Required value' : `Required value: ${why}`,
    field,
  };
}

export function forbiddenField(field: string, why: string): Cause {
  return { reason: 'FieldValueForbidden', message: `Forbidden: ${why}`, field };
}
