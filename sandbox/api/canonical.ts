import { type Field, type Struct } from '@/lib/kube/fields';
import { isJsonObject, isRawNumber, type Json, type JsonObject, setMember } from '@/lib/kube/json';
import { canonicalQuantity, parseQuantity, roundUpToMilli } from '@/lib/kube/quantity';
import { type WriteOptions } from '@/sandbox/api/api-core';
import { applyDefaults } from '@/sandbox/api/defaults';
import { badRequest, invalid } from '@/sandbox/api/objects/api-status';
import { type ResourceKind } from '@/sandbox/api/objects/resource-kind';
import { objectOrEmptyAt, type StoredObject } from '@/sandbox/api/objects/stored-object';
import { invalidValue } from '@/sandbox/api/objects/validation';

/**
 * The draft in canonical form with its defaults. Throws ApiStatus on what cannot be read: 400, of a patch
 * 422.
 */
export function completeObject(
  kind: ResourceKind,
  draft: StoredObject,
  { version, fieldValidation, patch, warn }: WriteOptions,
): StoredObject {
  if (kind.schema === undefined) {
    kind.strategy.complete?.(draft);
    return draft;
  }
  const refuse = (why: string) =>
    patch === undefined
      ? badRequest(`${kind.kind} in version "${version}" cannot be handled as a ${kind.kind}: ${why}`)
      : invalid({ group: '', kind: '' }, '', [
          invalidValue('patch', patch.strategic ?? JSON.stringify(draft), why),
        ]);
  const { object, unknown } = canonicalise(kind.schema, draft, ({ message, converted }) =>
    refuse(patch?.strategic === undefined ? message : converted),
  );
  const problems = unknown.map((field) => `unknown field "${field}"`);
  if (fieldValidation === 'Strict' && problems.length > 0)
    throw refuse(`strict decoding error: ${problems.join(', ')}`);
  if (fieldValidation === 'Warn') for (const problem of problems) warn?.(problem);
  const { uid, resourceVersion, creationTimestamp, name } = draft.metadata;
  const metadata = { ...objectOrEmptyAt(object, 'metadata'), name, uid, resourceVersion, creationTimestamp };
  const complete = { ...object, metadata } as StoredObject;
  kind.strategy.complete?.(complete);

  return complete;
}

/** The object as the API server writes it, and its unknown fields. */
interface Canonical {
  readonly object: JsonObject;
  /** Paths of fields that the kind does not have; they are removed. */
  readonly unknown: string[];
}

/**
 * An object in the form in which it is stored: without unknown and null fields and those that mean the same
 * as absent, with canonical quantities, and with the defaults. Where a value has another shape than its
 * field, throws what `refuse` makes of it.
 */
export function canonicalise(
  struct: Struct,
  object: JsonObject,
  refuse: (why: Unreadable) => Error = (why) => why,
): Canonical {
  const unknown: string[] = [];
  try {
    return { object: canonicalStruct(struct, object, '', unknown), unknown };
  } catch (error) {
    throw error instanceof Unreadable ? refuse(error) : error;
  }
}

/** A value has another shape than its field. */
class Unreadable extends Error {
  /** The message for conversions of objects that are decoded already. */
  readonly converted: string;

  constructor(message: string, converted = message) {
    super(message);
    this.converted = converted;
  }
}

/** Numbers that people write as text by mistake. */
const INTEGERS = new Set([
  'containerPort',
  'minReadySeconds',
  'partition',
  'progressDeadlineSeconds',
  'replicas',
  'revisionHistoryLimit',
  'terminationGracePeriodSeconds',
]);

/** Those that may exceed what a double holds. */
const LONG_INTEGERS = new Set(['terminationGracePeriodSeconds']);

function isInteger(key: string, value: Json): boolean {
  if (typeof value === 'number') return true;

  return LONG_INTEGERS.has(key) && isRawNumber(value) && /^-?\d+$/.test(value.rawJSON);
}

function canonicalStruct(struct: Struct, object: JsonObject, path: string, unknown: string[]): JsonObject {
  const result: JsonObject = {};
  for (const key in object) {
    const value = object[key];
    if (value === undefined) continue;
    const field = struct.fields.get(key);
    const at = path === '' ? key : `${path}.${key}`;
    if (field === undefined) {
      unknown.push(at);
      continue;
    }
    if (INTEGERS.has(key) && field.shape === 'scalar' && value !== null && !isInteger(key, value)) {
      const found = isRawNumber(value) ? 'number' : typeof value;
      const size = LONG_INTEGERS.has(key) ? 64 : 32;
      throw new Unreadable(
        `json: cannot unmarshal ${found} into Go struct field ${struct.name}.${at} of type int${size}`,
        `unrecognized type: int${size}`,
      );
    }
    const kept = canonicalField(field, value, at, unknown);
    if (kept !== undefined) setMember(result, key, kept);
  }
  addValueStructs(struct, result);
  if (struct.name === 'PodSpec') copyServiceAccount(result);
  applyDefaults(struct.name, result);

  return result;
}

/** Undefined means that the value is the same as none. */
function canonicalField(field: Field, value: Json, path: string, unknown: string[]): Json | undefined {
  if (field.shape === 'opaque') return value;
  if (value === null) return undefined;
  switch (field.shape) {
    case 'scalar':
      if (typeof value === 'object' && 'length' in value)
        throw mismatch(path, value, 'unrecognized type: string');
      return !field.nullable && (value === '' || value === 0 || value === false) ? undefined : value;
    case 'intOrString':
      return value;
    case 'quantity':
      return canonicalAmount(value, path, false);
    case 'map':
      if (!isJsonObject(value)) throw mismatch(path, value, 'cannot restore map from');
      return canonicalMap(field.of, value, path);
    case 'list':
      if (!Array.isArray(value)) throw mismatch(path, value, 'cannot restore slice from');
      return canonicalList(field.of, value, path, unknown);
    case 'struct':
      if (!isJsonObject(value)) throw mismatch(path, value, 'cannot restore struct from:');
      return canonicalStruct(field.of, value, path, unknown);
    default:
      return field satisfies never;
  }
}

function canonicalList(of: Struct | null, list: Json[], path: string, unknown: string[]): Json[] | undefined {
  if (list.length === 0) return undefined;
  if (of === null) return list;

  return list.map((item, index) => {
    if (!isJsonObject(item)) throw mismatch(`${path}[${index}]`, item, 'cannot restore struct from:');
    return canonicalStruct(of, item, `${path}[${index}]`, unknown);
  });
}

function canonicalMap(of: 'string' | 'quantity', map: JsonObject, path: string): JsonObject | undefined {
  const result: JsonObject = {};
  let isEmpty = true;
  for (const key in map) {
    const value = map[key];
    if (value === undefined) continue;
    if (of === 'string' && value !== null && typeof value !== 'string')
      throw mismatch(`${path}.${key}`, value, 'unrecognized type: string');
    setMember(
      result,
      key,
      of === 'quantity' ? canonicalAmount(value ?? '0', `${path}.${key}`, true) : (value ?? ''),
    );
    isEmpty = false;
  }
  return isEmpty ? undefined : result;
}

function canonicalAmount(value: Json, path: string, isResource: boolean): string {
  if (typeof value !== 'string' && typeof value !== 'number')
    throw mismatch(path, value, 'unrecognized type: string');
  const quantity = parseQuantity(value);
  if (quantity === undefined) {
    throw new Unreadable(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  }
  if (!isResource || quantity.exponent >= -3) return canonicalQuantity(value) ?? String(value);
  const { digits, exponent } = roundUpToMilli(quantity);

  return canonicalQuantity(`${digits}${'0'.repeat(exponent + 3)}m`) ?? String(value);
}

/** Structs that are no pointers are always written, even when empty. */
function addValueStructs(struct: Struct, result: JsonObject): void {
  for (const [key, field] of struct.fields) {
    if (field.shape === 'struct' && !field.nullable && result[key] === undefined)
      result[key] = canonicalStruct(field.of, {}, key, []);
  }
}

/** Either of the two names sets the other. */
function copyServiceAccount(spec: JsonObject): void {
  const name = spec.serviceAccountName ?? spec.serviceAccount;
  if (name === undefined) return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

function mismatch(path: string, value: Json, converted: string) {
  const kind = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  const found = converted.startsWith('cannot') ? ` ${GO_KINDS[kind] ?? kind}` : '';

  return new Unreadable(`json: cannot unmarshal ${kind} into Go struct field ${path}`, converted + found);
}

/** What JSON is in Go. */
const GO_KINDS: Readonly<Record<string, string>> = {
  array: 'slice',
  boolean: 'bool',
  number: 'int64',
  object: 'map',
};
