import { type Field, type Struct } from '@/lib/kube/fields';
import { isJsonObject, isRawNumber, type Json, type JsonObject, setMember } from '@/lib/kube/json';
import { canonicalQuantity, parseQuantity, roundUpToMilli } from '@/lib/kube/quantity';
import { applyDefaults } from '@/sandbox/api/defaults';

/** The object as the API server writes it, and its unknown fields. */
export interface Canonical {
  readonly object: JsonObject;
  /** Paths of fields that the kind does not have; they are removed. */
  readonly unknown: string[];
}

/**
 * An object in the form in which it is stored: without unknown and null fields and those that mean the same
 * as absent, with canonical quantities, and with the defaults of pod templates. Throws Unreadable where a
 * value has another shape than its field.
 */
export function canonicalise(struct: Struct, object: JsonObject): Canonical {
  const unknown: string[] = [];

  return { object: canonicalStruct(struct, object, '', unknown), unknown };
}

/** A value has another shape than its field. */
export class Unreadable extends Error {
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
