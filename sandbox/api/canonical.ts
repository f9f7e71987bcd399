import type { Field, Struct } from '@/lib/kube/fields';
import { isJsonObject, isRawNumber, type Json, type JsonObject, setMember } from '@/lib/kube/json';
import { canonicalQuantity, parseQuantity, type Quantity, roundUpToMilli } from '@/lib/kube/quantity';
import type { WriteOptions } from '@/sandbox/api/api-core';
import { badRequest, invalid } from '@/sandbox/api/objects/api-status';
import type { ResourceKind } from '@/sandbox/api/objects/resource-kind';
import { objectOrEmptyAt, type StoredObject } from '@/sandbox/api/objects/stored-object';
import { invalidValue } from '@/sandbox/api/objects/validation';
import { applyDefaults } from '@/sandbox/api/schema';

/**
 * The draft in the form in which it is stored: without unknown and null fields and those that mean the same as
 * absent, with canonical quantities, and with the defaults. Throws ApiStatus on what cannot be read: 400, of a patch
 * 422.
 */
export function completeObject(kind: ResourceKind, draft: StoredObject, options: WriteOptions): StoredObject {
  const complete = kind.schema === undefined ? draft : canonicalObject(kind, kind.schema, draft, options);
  kind.strategy.complete?.(complete);
  return complete;
}

/** The same of any structure, without what is unknown in it. Throws Error on a value of another shape than its field. */
export function canonicalForm(struct: Struct, object: JsonObject): JsonObject {
  return canonicalStruct(struct, object, '', { unknown: [], amount: canonicalAmount });
}

/** The same with one notation for each amount: equal where the API server takes two objects for the same. */
export function comparableForm(struct: Struct, object: JsonObject): JsonObject {
  return canonicalStruct(struct, object, '', { unknown: [], amount: exactAmount });
}

interface Walk {
  /** Takes the paths of fields that the structure does not have. */
  readonly unknown: string[];
  /** The notation of an amount; `isResource`: of a limit or a request, which has no more than thousandths. */
  readonly amount: (value: Json, path: string, isResource: boolean) => string;
}

function canonicalObject(
  { kind }: ResourceKind,
  schema: Struct,
  draft: StoredObject,
  { version, fieldValidation, isPatch, warn }: WriteOptions,
): StoredObject {
  const unknown: string[] = [];
  try {
    const object = canonicalStruct(schema, draft, '', { unknown, amount: canonicalAmount });
    const problems = unknown.map((field) => `unknown field "${field}"`);
    if (fieldValidation === 'Strict' && problems.length > 0)
      throw new Unreadable(`strict decoding error: ${problems.join(', ')}`);
    if (fieldValidation === 'Warn') for (const problem of problems) warn?.(problem);
    const { uid, resourceVersion, creationTimestamp, name } = draft.metadata;
    const metadata = {
      ...objectOrEmptyAt(object, 'metadata'),
      name,
      uid,
      resourceVersion,
      creationTimestamp,
    };
    return { ...object, metadata } as StoredObject;
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    if (isPatch === true)
      throw invalid({ group: '', kind: '' }, '', invalidValue('patch', JSON.stringify(draft), error.message));
    throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${error.message}`);
  }
}

/** A value has another shape than its field. */
class Unreadable extends Error {}

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

function assertInteger(key: string, value: Json, path: string): void {
  const isLong = LONG_INTEGERS.has(key);
  if (!INTEGERS.has(key) || value === null || typeof value === 'number') return;
  if (isLong && isRawNumber(value) && /^-?\d+$/.test(value.rawJSON)) return;
  throw mismatch(path, value, ` of type int${isLong ? 64 : 32}`);
}

function canonicalStruct(struct: Struct, object: JsonObject, path: string, walk: Walk): JsonObject {
  const result: JsonObject = {};
  for (const key in object) {
    const value = object[key];
    if (value === undefined) continue;
    const field = struct.fields.get(key);
    const at = path === '' ? key : `${path}.${key}`;
    if (field === undefined) {
      walk.unknown.push(at);
      continue;
    }
    if (field.shape === 'scalar') assertInteger(key, value, `${struct.name}.${at}`);
    const kept = canonicalField(field, value, at, walk);
    if (kept !== undefined) setMember(result, key, kept);
  }
  // Structs that are no pointers are always written, even when empty.
  for (const [key, field] of struct.fields) {
    if (field.shape === 'struct' && !field.nullable && result[key] === undefined)
      result[key] = canonicalStruct(field.of, {}, key, walk);
  }
  applyDefaults(struct.name, result);
  return result;
}

/** Undefined means that the value is the same as none. */
function canonicalField(field: Field, value: Json, path: string, walk: Walk): Json | undefined {
  if (field.shape === 'opaque') return value;
  if (value === null) return undefined;
  switch (field.shape) {
    case 'scalar':
      if (Array.isArray(value)) throw mismatch(path, value);
      return !field.nullable && (value === '' || value === 0 || value === false) ? undefined : value;
    case 'intOrString':
      return value;
    case 'quantity':
      return walk.amount(value, path, false);
    case 'map':
      if (!isJsonObject(value)) throw mismatch(path, value);
      return canonicalMap(field.of, value, path, walk);
    case 'list':
      if (!Array.isArray(value)) throw mismatch(path, value);
      return canonicalList(field.of, value, path, walk);
    case 'struct':
      if (!isJsonObject(value)) throw mismatch(path, value);
      return canonicalStruct(field.of, value, path, walk);
    default:
      return field satisfies never;
  }
}

function canonicalList(of: Struct | null, list: Json[], path: string, walk: Walk): Json[] | undefined {
  if (list.length === 0) return undefined;
  if (of === null) return list;
  return list.map((item, index) => {
    const at = `${path}[${index}]`;
    if (!isJsonObject(item)) throw mismatch(at, item);
    return canonicalStruct(of, item, at, walk);
  });
}

function canonicalMap(
  of: 'string' | 'quantity',
  map: JsonObject,
  path: string,
  walk: Walk,
): JsonObject | undefined {
  const result: JsonObject = {};
  for (const [key, value = null] of Object.entries(map)) {
    const at = `${path}.${key}`;
    if (of === 'string' && value !== null && typeof value !== 'string') throw mismatch(at, value);
    setMember(result, key, of === 'quantity' ? walk.amount(value ?? '0', at, true) : (value ?? ''));
  }
  return Object.keys(result).length === 0 ? undefined : result;
}

function readAmount(value: Json, path: string): { value: string | number; quantity: Quantity } {
  if (typeof value !== 'string' && typeof value !== 'number') throw mismatch(path, value);
  const quantity = parseQuantity(value);
  if (quantity !== undefined) return { value, quantity };
  throw new Unreadable(
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  );
}

function exactAmount(amount: Json, path: string): string {
  const { digits, exponent } = readAmount(amount, path).quantity;
  return `${digits}e${exponent}`;
}

function canonicalAmount(amount: Json, path: string, isResource: boolean): string {
  const { value, quantity } = readAmount(amount, path);
  if (!isResource || quantity.exponent >= -3) return canonicalQuantity(value) ?? String(value);
  const { digits, exponent } = roundUpToMilli(quantity);
  return canonicalQuantity(`${digits}${'0'.repeat(exponent + 3)}m`) ?? String(value);
}

function mismatch(path: string, value: Json, type = ''): Unreadable {
  const kind = Array.isArray(value) ? 'array' : isRawNumber(value) ? 'number' : typeof value;
  return new Unreadable(`json: cannot unmarshal ${kind} into Go struct field ${path}${type}`);
}
