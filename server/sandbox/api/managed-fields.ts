import { type JsonObject } from '@/lib/kube/json';
import { compareFields, emptyObject } from '@/server/sandbox/api/field-changes';
import { FieldSet } from '@/server/sandbox/api/field-set';
import { groupVersion, type ResourceKind } from '@/server/sandbox/api/resource-kind';
import { objectAt, type StoredObject, textAt } from '@/server/sandbox/api/stored-object';

export interface FieldWriter {
  readonly manager: string;
  /** RFC 3339. */
  readonly time: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** In which version of the group the fields are named. */
  readonly version: string;
}

/** What nobody owns: it identifies the object, or the server keeps it. */
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
/** What the server writes by itself while it takes in an update, after the writer's fields have been told. */
const WRITTEN_BY_SERVER = FieldSet.parse({
  'f:metadata': { 'f:annotations': { 'f:deprecated.daemonset.template.generation': {} } },
});
const REPLICAS = FieldSet.parse({ 'f:spec': { 'f:replicas': {} } });
const STATUS = FieldSet.parse({ 'f:status': {} });
const SPEC = FieldSet.parse({ 'f:spec': {} });

/**
 * The object with its list of managers brought up to date: what the writer has set or changed is now the writer's,
 * and what is gone is nobody's. https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
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
  if (writer.subresource === 'scale' && objectAt(next, 'spec').replicas === 0) {
    // A Scale leaves out a zero, so nobody owns it.
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

/** The API server loses it on the way from a Scale to the object. */
function timeOf({ time, subresource }: FieldWriter): JsonObject {
  return subresource === 'scale' ? {} : { time };
}

function entryOf(kind: ResourceKind, writer: FieldWriter): Entry {
  const { manager, subresource, version } = writer;

  return {
    head: {
      manager,
      operation: 'Update',
      apiVersion: groupVersion(kind.group, version),
      ...timeOf(writer),
      ...(subresource === '' || subresource === 'binding' ? {} : { subresource }),
    },
    fields: new FieldSet(),
  };
}

/** As the client sends them, or as they were; a list with an empty entry starts over. */
function readEntries(next: StoredObject, previous: StoredObject | undefined): Entry[] {
  const entries = next.metadata.managedFields ?? previous?.metadata.managedFields ?? [];
  if (entries.some((entry) => textAt(entry, 'manager') === '')) return [];

  return entries.map((entry) => {
    const { fieldsV1: _fields, fieldsType: _type, ...head } = entry;
    return { head, fields: FieldSet.parse(objectAt(entry, 'fieldsV1')) };
  });
}

function printEntry({ head: { subresource, ...head }, fields }: Entry): JsonObject {
  return {
    ...head,
    fieldsType: 'FieldsV1',
    fieldsV1: fields.print(),
    ...(subresource === undefined ? {} : { subresource }),
  };
}

function inOrder(a: Entry, b: Entry): number {
  for (const key of ['operation', 'time', 'manager', 'apiVersion', 'subresource'] as const) {
    const [mine, theirs] = [textAt(a.head, key), textAt(b.head, key)];
    if (mine !== theirs) return mine < theirs ? -1 : 1;
  }
  return 0;
}
