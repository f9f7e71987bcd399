import { type Field, type Struct } from '@/lib/kube/fields';
import { canonicalJson, deepEqual, isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';
import { EMPTY_EVENT } from '@/sandbox/api/defaults';
import { FieldSet } from '@/sandbox/api/field-set';

/** The fields in which two states of an object differ. */
interface FieldChanges {
  /** New, or with another value. */
  readonly changed: FieldSet;
  /** With all paths below them. */
  readonly removed: FieldSet;
}

/** Replaced entirely, although their fields are known. */
const ATOMIC = new Set([
  'ConfigMapKeySelector',
  'FileKeySelector',
  'LabelSelector',
  'LocalObjectReference',
  'NodeSelector',
  'NodeSelectorTerm',
  'ObjectFieldSelector',
  'OwnerReference',
  'ResourceFieldSelector',
  'SecretKeySelector',
  'TypedLocalObjectReference',
]);
/** Owned as a single value: a map, and the capabilities of a container. */
const ATOMIC_FIELDS = new Set(['add', 'drop', 'nodeSelector']);
/** Members that are no structs and yet written when empty. */
const ALWAYS_WRITTEN: Readonly<Record<string, JsonObject>> = {
  Event: EMPTY_EVENT,
  PodSpec: { containers: null },
  StatefulSetSpec: { serviceName: '' },
};

/** Compares field by field as far as the fields are known; else objects are granular and lists atomic. */
export function compareFields(
  struct: Struct | undefined,
  before: JsonObject,
  after: JsonObject,
): FieldChanges {
  const changes = { changed: new FieldSet(), removed: new FieldSet() };
  compareMembers(struct, before, after, changes);

  return changes;
}

/** The fields that an object of the kind has before any write: those written even when empty. */
export function emptyObject(struct: Struct | undefined): JsonObject {
  const result: JsonObject = {};
  for (const [key, field] of struct?.fields ?? []) {
    if (field.shape === 'struct' && !field.nullable) result[key] = emptyObject(field.of);
  }
  return { ...result, ...ALWAYS_WRITTEN[struct?.name ?? ''] };
}

function compareMembers(
  struct: Struct | undefined,
  before: JsonObject,
  after: JsonObject,
  at: FieldChanges,
): void {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    compare(struct?.fields.get(key), key, before[key], after[key], `f:${key}`, at);
  }
}

function compare(
  field: Field | undefined,
  name: string,
  before: Json | undefined,
  after: Json | undefined,
  key: string,
  at: FieldChanges,
): void {
  if (deepEqual(before, after)) return;
  if (after === undefined) {
    at.removed.at(key).isMember = true;
    return;
  }
  const below = { changed: new FieldSet(), removed: new FieldSet() };
  if (isGranular(field, name, after)) {
    below.changed.isMember = before === undefined || isEmpty(after);
    descend(field, before, after, below);
  } else {
    below.changed.isMember = true;
  }
  if (!below.changed.isEmpty) at.changed.at(key).add(below.changed);
  if (!below.removed.isEmpty) at.removed.at(key).add(below.removed);
}

/** Whether the parts of a value have owners of their own. */
export function isGranular(field: Field | undefined, name: string, value: Json): boolean {
  if (ATOMIC_FIELDS.has(name)) return false;
  if (field === undefined) return isJsonObject(value);
  switch (field.shape) {
    case 'struct':
      return !ATOMIC.has(field.of.name);
    case 'map':
      return true;
    case 'list':
      return field.list.kind !== 'atomic';
    default:
      return false;
  }
}

function descend(field: Field | undefined, before: Json | undefined, after: Json, at: FieldChanges): void {
  if (isJsonObject(after)) {
    compareMembers(structOf(field), isJsonObject(before) ? before : {}, after, at);
  } else if (field?.shape === 'list' && Array.isArray(after)) {
    compareLists(field, Array.isArray(before) ? before : [], after, at);
  }
}

function compareLists(
  field: Field & { shape: 'list' },
  before: Json[],
  after: Json[],
  at: FieldChanges,
): void {
  const entryOf = (item: Json) => entryKey(field, item);
  const old = new Map(before.map((item) => [entryOf(item), item]));
  const now = new Map(after.map((item) => [entryOf(item), item]));
  const of = itemField(field);
  for (const key of new Set([...old.keys(), ...now.keys()]))
    compare(of, '', old.get(key), now.get(key), key, at);
}

function structOf(field: Field | undefined): Struct | undefined {
  return field?.shape === 'struct' ? field.of : undefined;
}

/** The type of a member. */
export function fieldIn(field: Field | undefined, name: string): Field | undefined {
  return structOf(field)?.fields.get(name);
}

/** The type of the entries of a list. */
export function itemField({ list, of }: Field & { shape: 'list' }): Field | undefined {
  if (list.kind === 'set') return { shape: 'scalar', nullable: true };
  return of === null ? undefined : { shape: 'struct', nullable: true, of };
}

/** An entry of a list as a path element. */
export function entryKey({ list }: Field & { shape: 'list' }, item: Json): string {
  if (list.kind === 'set' || !isJsonObject(item)) return `v:${JSON.stringify(item)}`;
  // The only key with a default, which a configuration may leave out.
  const keys = list.keys.map((key): [string, Json] => [
    key,
    item[key] ?? (key === 'protocol' ? 'TCP' : null),
  ]);

  return `k:${canonicalJson(Object.fromEntries(keys))}`;
}

function isEmpty(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
