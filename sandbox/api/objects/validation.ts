import { type Json } from '@/lib/kube/json';
import { type Cause, required } from '@/sandbox/api/objects/api-status';
import { numberOrZeroAt, type StoredMeta } from '@/sandbox/api/objects/stored-object';

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const SUBDOMAIN_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start " +
  `and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`;
const NAME_LENGTH_MAX = 253;
const QUALIFIED_PART = /^([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$/;
const ANNOTATIONS_BYTES_MAX = 256 * 1024;

/** https://github.com/kubernetes/apimachinery/blob/master/pkg/api/validation/objectmeta.go */
export function validateMetadata(metadata: StoredMeta): Cause[] {
  return [
    ...validateName(metadata.name),
    ...validateLabels(metadata.labels ?? {}),
    ...validateAnnotations(metadata.annotations ?? {}),
  ];
}

function validateName(name: string): Cause[] {
  const field = 'metadata.name';
  if (name === '') return [required(field, 'name or generateName is required')];
  if (name.length > NAME_LENGTH_MAX)
    return [invalidValue(field, name, `must be no more than ${NAME_LENGTH_MAX} characters`)];

  return new RegExp(`^${SUBDOMAIN}$`).test(name) ? [] : [invalidValue(field, name, SUBDOMAIN_RULE)];
}

/** kubectl checks the values itself. */
function validateLabels(labels: Record<string, string>): Cause[] {
  return Object.keys(labels).flatMap((key) =>
    isQualifiedName(key) ? [] : [invalidValue('metadata.labels', key, keyRule(key))],
  );
}

/** The error of a key. */
function keyRule(key: string): string {
  return key.split('/').length > 2
    ? `a valid label key ${NAME_RULE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`
    : `name part ${NAME_RULE}`;
}

const NAME_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
  "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
function validateAnnotations(annotations: Record<string, string>): Cause[] {
  const bytes = Buffer.byteLength(Object.entries(annotations).flat().join(''));
  if (bytes <= ANNOTATIONS_BYTES_MAX) return [];
  const message = `Too long: may not be more than ${ANNOTATIONS_BYTES_MAX} bytes`;

  return [{ reason: 'FieldValueTooLong', message, field: 'metadata.annotations' }];
}

function isQualifiedName(key: string): boolean {
  const slash = key.indexOf('/');
  const prefix = slash === -1 ? undefined : key.slice(0, slash);
  const isPrefixed =
    prefix === undefined || (prefix.length <= 253 && new RegExp(`^${SUBDOMAIN}$`).test(prefix));

  return isPrefixed && QUALIFIED_PART.test(key.slice(slash + 1));
}

export function invalidValue(field: string, value: unknown, message: string): Cause {
  return {
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${JSON.stringify(value)}: ${message}`,
    field,
  };
}

export function immutableField(field: string, value: unknown): Cause {
  return invalidValue(field, value ?? null, 'field is immutable');
}

export function nonNegative(object: Json, key: string, field: string): Cause[] {
  const value = numberOrZeroAt(object, key);

  return value < 0 ? [invalidValue(field, value, 'must be greater than or equal to 0')] : [];
}
