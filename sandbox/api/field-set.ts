import type { Field } from '@/lib/kube/fields';
import { canonicalJson, deepEqual, isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';
import type { ResourceKind } from '@/sandbox/api/objects/resource-kind';
import { EMPTY_EVENT } from '@/sandbox/api/schema';

/**
 * A set of field paths, printed in the form of `fieldsV1`: `f:` a member, `k:` an entry of a keyed list, `v:`
 * one of a set, `.` the object or entry itself.
 * https://github.com/kubernetes-sigs/structured-merge-diff/tree/master/fieldpath
 */
export class FieldSet {
  /** Whether the path to here belongs to the set, apart from paths below it. */
  isMember = false;
  readonly children = new Map<string, FieldSet>();

  static parse(fields: JsonObject): FieldSet {
    const set = new FieldSet();
    const keys = Object.keys(fields);
    set.isMember = keys.length === 0 || '.' in fields;
    for (const key of keys) {
      const below = fields[key];
      if (key !== '.' && isJsonObject(below)) set.children.set(key, FieldSet.parse(below));
    }
    return set;
  }

  get isEmpty(): boolean {
    return !this.isMember && this.children.size === 0;
  }

  /** The child set, created if it is missing. */
  at(key: string): FieldSet {
    const found = this.children.get(key) ?? new FieldSet();
    this.children.set(key, found);
    return found;
  }

  add(other: FieldSet): void {
    this.isMember ||= other.isMember;
    for (const [key, below] of other.children) this.at(key).add(below);
  }

  /** Removes the paths of the other set; paths below them stay. */
  subtract(other: FieldSet): void {
    if (other.isMember) this.isMember = false;
    for (const [key, below] of other.children) {
      const mine = this.children.get(key);
      mine?.subtract(below);
      if (mine?.isEmpty === true) this.children.delete(key);
    }
  }

  /** Removes the paths of the other set with all paths below them. */
  prune(other: FieldSet): void {
    for (const [key, below] of other.children) {
      const mine = this.children.get(key);
      if (mine === undefined) continue;
      if (below.isMember) this.children.delete(key);
      else mine.prune(below);
      if (mine.isEmpty) this.children.delete(key);
    }
  }

  print(): JsonObject {
    const result: JsonObject = {};
    if (this.isMember && this.children.size > 0) result['.'] = {};
    for (const key of [...this.children.keys()].sort()) result[key] = this.children.get(key)?.print() ?? {};
    return result;
  }
}

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

/** The fields of a kind as those of one value, as far as they are known. */
export function rootField({ schema, keyedLists }: ResourceKind): Field | undefined {
  const of = schema ?? keyedLists;
  return of && { shape: 'struct', nullable: false, of };
}

/** The fields that an object has before any write: those written even when empty. */
export function emptyObject(field: Field | undefined): JsonObject {
  const struct = field?.shape === 'struct' ? field.of : undefined;
  const result: JsonObject = {};
  for (const [key, member] of struct?.fields ?? [])
    if (member.shape === 'struct' && !member.nullable) result[key] = emptyObject(member);
  return { ...result, ...ALWAYS_WRITTEN[struct?.name ?? ''] };
}

/** Compares field by field as far as the fields are known; else objects are granular and lists atomic. */
export function compareFields(
  field: Field | undefined,
  before: Json | undefined,
  after: Json,
  changes: FieldChanges = { changed: new FieldSet(), removed: new FieldSet() },
): FieldChanges {
  const [old, now] = [partsOf(field, before), partsOf(field, after)];
  for (const key of old.keys()) if (!now.has(key)) changes.removed.at(key).isMember = true;
  for (const [key, { field: of, value }] of now) {
    const was = old.get(key)?.value;
    if (deepEqual(was, value)) continue;
    const below = { changed: changes.changed.at(key), removed: changes.removed.at(key) };
    below.changed.isMember = was === undefined || !isGranular(of, value) || isEmpty(value);
    if (isGranular(of, value)) compareFields(of, was, value, below);
    if (below.changed.isEmpty) changes.changed.children.delete(key);
    if (below.removed.isEmpty) changes.removed.children.delete(key);
  }
  return changes;
}

/** Whether the parts of a value have owners of their own. */
export function isGranular(field: Field | undefined, value: Json): boolean {
  switch (field?.shape) {
    case undefined:
      return isJsonObject(value);
    case 'struct':
      return !ATOMIC.has(field.of.name);
    case 'list':
      return field.list.kind !== 'atomic';
    default:
      return field?.shape === 'map';
  }
}

interface Part {
  readonly field: Field | undefined;
  readonly value: Json;
}

/** The members of an object, or the entries of a list, by their path elements. */
export function partsOf(field: Field | undefined, value: Json | undefined): Map<string, Part> {
  const parts = new Map<string, Part>();
  if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value))
      if (member !== undefined) parts.set(`f:${name}`, { field: memberField(field, name), value: member });
  } else if (field?.shape === 'list' && Array.isArray(value)) {
    const of = itemField(field);
    for (const item of value) parts.set(entryKey(field, item), { field: of, value: item });
  }
  return parts;
}

export function memberField(field: Field | undefined, name: string): Field | undefined {
  if (ATOMIC_FIELDS.has(name)) return { shape: 'opaque' };
  return field?.shape === 'struct' ? field.of.fields.get(name) : undefined;
}

export function itemField({ list, of }: Field & { shape: 'list' }): Field | undefined {
  if (list.kind === 'set') return { shape: 'scalar', nullable: true };
  return of === null ? undefined : { shape: 'struct', nullable: true, of };
}

/** The protocol of a port is the only key with a default, which a configuration may leave out. */
export function entryKey({ list }: Field & { shape: 'list' }, item: Json): string {
  if (list.kind === 'set' || !isJsonObject(item)) return `v:${JSON.stringify(item)}`;
  const keys = list.keys.map((key) => [key, item[key] ?? (key === 'protocol' ? 'TCP' : null)] as const);
  return `k:${canonicalJson(Object.fromEntries(keys))}`;
}

function isEmpty(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
