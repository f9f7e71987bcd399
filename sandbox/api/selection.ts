import { AppError } from '@/lib/errors';
import { type Json, isJsonObject } from '@/lib/kube/json';
import { matchesSelector, parseSelector, type Selector } from '@/lib/kube/selector';
import { badRequest } from '@/sandbox/api/objects/api-status';
import { type ResourceKind } from '@/sandbox/api/objects/resource-kind';
import { type StoredObject } from '@/sandbox/api/objects/stored-object';

/** The selected objects of a collection. */
export interface ObjectSelection {
  readonly namespace: string;
  readonly labels: Selector;
  readonly fields: readonly FieldRequirement[];
}

interface FieldRequirement {
  readonly path: readonly string[];
  readonly value: string;
  readonly isEqual: boolean;
}

/** Reads `labelSelector` and `fieldSelector`. Throws ApiStatus 400. */
export function parseSelection(
  kind: ResourceKind,
  namespace: string,
  query: URLSearchParams,
): ObjectSelection {
  return {
    namespace,
    labels: parseLabels(query.get('labelSelector') ?? ''),
    fields: parseFields(kind, query.get('fieldSelector') ?? ''),
  };
}

export function selects({ namespace, labels, fields }: ObjectSelection, object: StoredObject): boolean {
  if (namespace !== '' && object.metadata.namespace !== namespace) return false;
  if (labels.length > 0 && !matchesSelector(labels, object.metadata.labels ?? {})) return false;

  return fields.every(({ path, value, isEqual }) => (fieldText(object, path) === value) === isEqual);
}

function parseLabels(text: string): Selector {
  try {
    return parseSelector(text);
  } catch (error) {
    if (error instanceof AppError) throw badRequest(`unable to parse requirement: ${error.message}`);
    throw error;
  }
}

function parseFields(kind: ResourceKind, text: string): FieldRequirement[] {
  return text
    .split(/(?<!\\),/)
    .filter((term) => term !== '')
    .map((term) => parseField(kind, term));
}

function parseField(kind: ResourceKind, term: string): FieldRequirement {
  const [, field, operator, value = ''] = /^(.*?)(!=|==|=)(.*)$/.exec(term) ?? [];
  if (field === undefined) throw badRequest(`invalid selector: '${term}'; can't understand '${term}'`);
  const known = ['metadata.name', ...(kind.namespaced ? ['metadata.namespace'] : []), ...kind.fields];
  if (!known.includes(field)) {
    throw badRequest(
      kind.fields.length > 0
        ? `field label not supported: ${field}`
        : `"${field}" is not a known field selector: only ${known.map((one) => `"${one}"`).join(', ')}`,
    );
  }

  return { path: field.split('.'), value: value.replace(/\\(.)/g, '$1'), isEqual: operator !== '!=' };
}

function fieldText(object: StoredObject, path: readonly string[]): string {
  let at: Json | undefined = object;
  for (const key of path) at = isJsonObject(at) ? at[key] : undefined;

  return typeof at === 'string' || typeof at === 'number' || typeof at === 'boolean' ? String(at) : '';
}
