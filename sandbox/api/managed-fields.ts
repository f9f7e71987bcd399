import { type JsonObject } from '@/lib/kube/json';
import { compareFields, emptyObject } from '@/sandbox/api/field-changes';
import { FieldSet } from '@/sandbox/api/field-set';
import { groupVersion, type ResourceKind } from '@/sandbox/api/objects/resource-kind';
import { objectOrEmptyAt, type StoredObject, textOrEmptyAt } from '@/sandbox/api/objects/stored-object';

interface FieldWriter {
  readonly manager: string;
  /** RFC 3339. */
  readonly time: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** The version of the group in which the fields are named. */
  readonly version: string;
}

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

/**
 * The object with its updated list of managers: the writer owns the fields that it set or changed; deleted
 * fields have no owner. https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
export function trackFields(
  kind: ResourceKind,
  next: StoredObject,
  previous: StoredObject | undefined,
  writer: FieldWriter,
): StoredObject {
  const struct = kind.schema ?? kind.keyedLists;
  const before = previous ?? emptyObject(struct);
  const { changed, removed } = compareFields(struct, before, next);
  changed.prune(NEVER_OWNED);
  if (previous !== undefined) changed.prune(WRITTEN_BY_SERVER);
  if (writer.subresource === 'scale' && objectOrEmptyAt(next, 'spec').replicas === 0) {
    // A Scale omits a zero, so the field has no owner.
    changed.prune(REPLICAS);
    removed.add(REPLICAS);
  }
  changed.at('f:metadata').isMember = false;
  if (kind.subresources.includes('status') && writer.subresource !== 'binding')
    changed.prune(writer.subresource === 'status' ? SPEC : STATUS);
  if (changed.at('f:metadata').isEmpty) changed.children.delete('f:metadata');
  const entries = readEntries(next, previous);
  const mine = entryOf(kind, writer);
  const isMine = (entry: Entry) => IDENTITY.every((key) => entry.head[key] === mine.head[key]);
  for (const { fields } of entries) fields.prune(removed);
  for (const { fields } of entries.filter((entry) => !isMine(entry))) fields.subtract(changed);
  if (!changed.isEmpty) {
    const known = entries.find(isMine);
    if (known === undefined) entries.push({ ...mine, fields: changed });
    else {
      known.fields.add(changed);
      Object.assign(known.head, timeOf(writer));
    }
  }
  const managedFields = entries
    .filter(({ fields }) => !fields.isEmpty)
    .sort(inOrder)
    .map(printEntry);
  const { managedFields: _before, ...metadata } = next.metadata;

  return {
    ...next,
    metadata: { ...metadata, ...(managedFields.length === 0 ? {} : { managedFields }) },
  };
}

interface Entry {
  readonly head: JsonObject;
  readonly fields: FieldSet;
}

const IDENTITY = ['manager', 'operation', 'apiVersion', 'subresource'] as const;

/** The API server drops the time when it converts a Scale to the object. */
function timeOf({ time, subresource }: FieldWriter): JsonObject {
  return subresource === 'scale' ? {} : { time };
}

function entryOf(kind: ResourceKind, writer: FieldWriter): Entry {
  const { manager, subresource, version } = writer;
  const apiVersion = groupVersion(kind.group, version);
  const head: JsonObject = { manager, operation: 'Update', apiVersion, ...timeOf(writer) };
  if (subresource !== '' && subresource !== 'binding') head.subresource = subresource;

  return { head, fields: new FieldSet() };
}

/** As the client sends them, or as they were; a list with an empty entry starts over. */
function readEntries(next: StoredObject, previous: StoredObject | undefined): Entry[] {
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
