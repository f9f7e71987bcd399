import { type JsonObject } from '@/lib/kube/json';
import { type Cause } from '@/sandbox/api/objects/api-status';
import { type ResourceKind } from '@/sandbox/api/objects/resource-kind';
import { numberOrZeroAt, type StoredMeta } from '@/sandbox/api/objects/stored-object';

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const SUBDOMAIN_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start " +
  `and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`;
const LABEL_RULE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end " +
  `with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${LABEL}')`;
const LABELS_MAX = { subdomain: 253, label: 63 };
const QUALIFIED_PART = /^([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$/;
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9])?$/;
const ANNOTATIONS_BYTES_MAX = 256 * 1024;

/** https://github.com/kubernetes/apimachinery/blob/master/pkg/api/validation/objectmeta.go */
export function validateMetadata(kind: ResourceKind, metadata: StoredMeta): Cause[] {
  return [
    ...validateName(kind.names, metadata.name),
    ...validateLabels(metadata.labels ?? {}, 'metadata.labels'),
    ...validateAnnotations(metadata.annotations ?? {}),
    ...validateOwners(metadata),
  ];
}

function validateName(rule: 'subdomain' | 'label', name: string): Cause[] {
  const field = 'metadata.name';
  if (name === '') {
    return [
      { reason: 'FieldValueRequired', message: 'Required value: name or generateName is required', field },
    ];
  }
  const max = LABELS_MAX[rule];
  const problems = [
    ...(name.length > max ? [`must be no more than ${max} characters`] : []),
    ...(new RegExp(`^${rule === 'label' ? LABEL : SUBDOMAIN}$`).test(name)
      ? []
      : [rule === 'label' ? LABEL_RULE : SUBDOMAIN_RULE]),
  ];

  return problems.map((problem) => invalidValue(field, name, problem));
}

/** Also for the labels of pod templates. */
export function validateLabels(labels: Record<string, string>, field: string): Cause[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...(isQualifiedName(key) ? [] : [invalidValue(field, key, keyRule(key))]),
    ...(typeof value === 'string' && LABEL_VALUE.test(value)
      ? []
      : [invalidValue(field, String(value), LABEL_VALUE_RULE)]),
  ]);
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
const LABEL_VALUE_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and " +
  "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is " +
  "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

function validateAnnotations(annotations: Record<string, string>): Cause[] {
  const field = 'metadata.annotations';
  const keys = Object.keys(annotations).filter((key) => !isQualifiedName(key.toLowerCase()));
  const bytes = Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)),
    0,
  );

  return [
    ...keys.map((key) => invalidValue(field, key, keyRule(key))),
    ...(bytes > ANNOTATIONS_BYTES_MAX
      ? [
          {
            reason: 'FieldValueTooLong',
            message: `Too long: may not be more than ${ANNOTATIONS_BYTES_MAX} bytes`,
            field,
          },
        ]
      : []),
  ];
}

function validateOwners({ ownerReferences = [] }: StoredMeta): Cause[] {
  const controllers = ownerReferences.filter((owner) => owner.controller === true);
  const missing = ownerReferences.flatMap((owner) =>
    (['apiVersion', 'kind', 'name', 'uid'] as const).flatMap((member) =>
      owner[member]
        ? []
        : [
            {
              ...invalidValue(`metadata.ownerReferences.${member}`, owner[member] ?? '', 'must not be empty'),
            },
          ],
    ),
  );
  if (controllers.length < 2) return missing;
  const [first, second] = controllers;

  return [
    ...missing,
    {
      reason: 'FieldValueInvalid',
      message:
        `Invalid value: ${JSON.stringify(ownerReferences)}: Only one reference can have Controller set to true. ` +
        `Found "true" in references for ${first?.kind}/${first?.name} and ${second?.kind}/${second?.name}`,
      field: 'metadata.ownerReferences',
    },
  ];
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

export function nonNegative(object: JsonObject, key: string, field: string): Cause[] {
  const value = numberOrZeroAt(object, key);

  return value < 0 ? [invalidValue(field, value, 'must be greater than or equal to 0')] : [];
}
