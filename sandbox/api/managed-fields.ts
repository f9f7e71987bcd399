import type { JsonObject } from '@/lib/kube/json';
import type { WriteOptions } from '@/sandbox/api/api-core';
import { compareFields, emptyObject, FieldSet, rootField } from '@/sandbox/api/field-set';
import { groupVersion, type ResourceKind } from '@/sandbox/api/objects/resource-kind';
import { objectOrEmptyAt, type StoredObject, textOrEmptyAt } from '@/sandbox/api/objects/stored-object';

/** Fields without an owner: they identify the object, or the server sets them. */
const NEVER_OWNED = FieldSet.parse({
  'f:apiVersion': {},
  'f:kind': {},
  'f:metadata': {
    'f:creationTimestamp': {},
    'f:deletionTimestamp': {},
    'f:deletionGracePeriodSeconds': {},
    'f:generation': {},
    'f:managedFields': {},
    'f:name': {},
    'f:namespace': {},
    'f:resourceVersion': {},
    'f:uid': {},
  },
});
/** What the server itself writes during an update, after the writer's fields were determined. */
const WRITTEN_BY_SERVER = FieldSet.parse({
  'f:metadata': { 'f:annotations': { 'f:deprecated.daemonset.template.generation': {} } },
});
const REPLICAS = FieldSet.parse({ 'f:spec': { 'f:replicas': {} } });
const STATUS = FieldSet.parse({ 'f:status': {} });
const SPEC = FieldSet.parse({ 'f:spec': {} });

/** An entry of the list, and its fields. */
export interface Entry {
  readonly head: JsonObject;
  readonly fields: FieldSet;
}

/**
 * Updates the list of managers: the writer owns the fields that it set or changed, or those that it applies; deleted
 * fields have no owner. https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
export function trackFields(
  kind: ResourceKind,
  next: StoredObject,
  previous: StoredObject | undefined,
  options: WriteOptions,
  time: string,
): void {
  const root = rootField(kind);
  const { subresource, applied } = options;
  const { changed, removed } = compareFields(root, previous ?? emptyObject(root), next);
  pruneUnowned(kind, subresource, changed);
  if (previous !== undefined) changed.prune(WRITTEN_BY_SERVER);
  if (subresource === 'scale' && objectOrEmptyAt(next, 'spec').replicas === 0) {
    // A Scale omits a zero, so the field has no owner.
    changed.prune(REPLICAS);
    removed.add(REPLICAS);
  }
  const entries = readEntries(next, previous);
  const mine = entryOf(kind, options);
  const known = entries.find((entry) => isSameWriter(entry, mine));
  for (const { fields } of entries) fields.prune(removed);
  for (const entry of entries) if (entry !== known) entry.fields.subtract(changed);
  // The API server drops the time when it converts a Scale to the object.
  if (subresource !== 'scale') mine.head.time = time;
  if (applied !== undefined) {
    if (known !== undefined) entries.splice(entries.indexOf(known), 1);
    if (changed.isEmpty && removed.isEmpty) mine.head.time = known?.head.time;
    entries.push({ head: mine.head, fields: applied });
  } else if (!changed.isEmpty) {
    if (known === undefined) entries.push(mine);
    const { head, fields } = known ?? mine;
    fields.add(changed);
    head.time = mine.head.time ?? head.time;
  }
  const owned = entries.filter(({ fields }) => !fields.isEmpty).sort(inOrder);
  delete next.metadata.managedFields;
  if (owned.length > 0) next.metadata.managedFields = owned.map(printEntry);
}

/** Whether they are of one manager; it applies in one version after another, and updates in each. */
export function isSameWriter({ head: a }: Entry, { head: b }: Entry): boolean {
  const keys = ['manager', 'operation', 'subresource', ...(a.operation === 'Apply' ? [] : ['apiVersion'])];
  return keys.every((key) => a[key] === b[key]);
}

/** Removes the fields that a write through this endpoint does not set. */
export function pruneUnowned(kind: ResourceKind, subresource: string, fields: FieldSet): FieldSet {
  fields.prune(NEVER_OWNED);
  if (kind.subresources.includes('status') && subresource !== 'binding')
    fields.prune(subresource === 'status' ? SPEC : STATUS);
  const metadata = fields.at('f:metadata');
  metadata.isMember = false;
  if (metadata.isEmpty) fields.children.delete('f:metadata');
  return fields;
}

/** The entry of a writer, yet without fields and time. */
export function entryOf({ group }: ResourceKind, options: WriteOptions): Entry {
  const { manager, subresource, version, applied } = options;
  const operation = applied === undefined ? 'Update' : 'Apply';
  const head: JsonObject = { manager, operation, apiVersion: groupVersion(group, version) };
  if (subresource !== '' && subresource !== 'binding') head.subresource = subresource;
  return { head, fields: new FieldSet() };
}

/** As the client sends them, or as they were; a list with an empty entry starts over. */
export function readEntries(next: StoredObject, previous?: StoredObject): Entry[] {
  const entries = next.metadata.managedFields ?? previous?.metadata.managedFields ?? [];
  if (entries.some((entry) => textOrEmptyAt(entry, 'manager') === '')) return [];
  return entries.map((entry) => {
    const { fieldsV1: _fields, fieldsType: _type, ...head } = entry;
    return { head, fields: FieldSet.parse(objectOrEmptyAt(entry, 'fieldsV1')) };
  });
}

function printEntry({ head, fields }: Entry): JsonObject {
  return { ...head, fieldsType: 'FieldsV1', fieldsV1: fields.print() };
}

function inOrder(a: Entry, b: Entry): number {
  for (const key of ['operation', 'time', 'manager', 'apiVersion', 'subresource'] as const) {
    const [mine, theirs] = [textOrEmptyAt(a.head, key), textOrEmptyAt(b.head, key)];
    if (mine !== theirs) return mine < theirs ? -1 : 1;
  }
  return 0;
}
