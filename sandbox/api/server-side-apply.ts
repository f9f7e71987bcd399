import { parse } from 'yaml';
import type { Field } from '@/lib/kube/fields';
import { isJsonObject, type Json, type JsonObject, parseJson } from '@/lib/kube/json';
import type { ApiCore, ObjectPlace, WriteOptions } from '@/sandbox/api/api-core';
import { compareFields, FieldSet, partsOf, rootField } from '@/sandbox/api/field-set';
import { type Entry, entryOf, isSameWriter, pruneUnowned, readEntries } from '@/sandbox/api/managed-fields';
import { ApiStatus, badRequest, invalid } from '@/sandbox/api/objects/api-status';
import { resourceName } from '@/sandbox/api/objects/resource-kind';
import { showJson, type StoredObject } from '@/sandbox/api/objects/stored-object';
import { required } from '@/sandbox/api/objects/validation';
import { mergeConfiguration } from '@/sandbox/api/strategic-merge';
import { createObject, decodeObject, updateObject } from '@/sandbox/api/write-object';

export const APPLY = 'application/apply-patch+yaml';

/**
 * Applies a configuration, and creates the object where it is absent. It may not have unknown fields; those of an
 * earlier client-side apply conflict, too. Throws ApiStatus: 409 on fields that other managers own with other values.
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/
 */
export function applyObject(
  core: ApiCore,
  place: ObjectPlace,
  text: string,
  query: URLSearchParams,
  writer: WriteOptions,
): { code: number; object: StoredObject } {
  if ((query.get('fieldManager') ?? '') === '')
    throw invalid(
      { group: 'meta.k8s.io', kind: 'PatchOptions' },
      '',
      required('fieldManager', 'is required for apply patch'),
    );
  const { kind, namespace, name } = place;
  const { version, subresource } = writer;
  const root = rootField(kind);
  const configuration = parseConfiguration(text);
  const changedIn = (before: JsonObject, after: JsonObject) =>
    pruneUnowned(kind, subresource, compareFields(root, before, after).changed);
  const applied = withoutStructs(changedIn({}, configuration));
  const options = { ...writer, applied, isPatch: false, fieldValidation: 'Strict' } as const;
  if (subresource === '' && core.store.get(resourceName(kind), namespace, name) === undefined)
    return {
      code: 201,
      object: createObject(core, kind, decodeObject(place, version, configuration), options),
    };
  const mine = entryOf(kind, options);
  const change = (live: StoredObject) => {
    const entries = readEntries(live);
    const { fields: last } = entries.find((entry) => isSameWriter(entry, mine)) ?? mine;
    const others = entries.filter((entry) => !isSameWriter(entry, mine));
    const owned = compareFields(root, {}, configuration).changed;
    for (const { fields } of others) owned.add(fields);
    const next = mergeConfiguration(root, live, configuration);
    removeAbandoned(root, next, last, owned);
    if (query.get('force') !== 'true') assertNoConflict(others, changedIn(live, next));
    return decodeObject(place, version, next);
  };
  return { code: 200, object: updateObject(core, place, change, options) };
}

/** JSON is parsed as such: it has long numbers. */
function parseConfiguration(text: string): JsonObject {
  let object: Json;
  try {
    object = parseJson(text.trimStart().startsWith('{') ? text : JSON.stringify(parse(text)));
  } catch (error) {
    throw badRequest(`error decoding YAML: ${String(error)}`);
  }
  if (!isJsonObject(object)) throw badRequest('error decoding YAML: not an object');
  if (isJsonObject(object.metadata) && (object.metadata.managedFields ?? null) !== null)
    throw badRequest('metadata.managedFields must be nil');
  return object;
}

/** A configuration owns its values and entries of lists; an update also the structs around them. */
function withoutStructs(set: FieldSet): FieldSet {
  for (const [key, below] of set.children) {
    if (key.startsWith('f:') && below.children.size > 0) below.isMember = false;
    withoutStructs(below);
  }
  return set;
}

/** Removes what the manager applied last and what has no owner now. */
function removeAbandoned(field: Field | undefined, value: Json, last: FieldSet, owned: FieldSet): void {
  const parts = partsOf(field, value);
  for (const [key, below] of last.children) {
    const now = owned.children.get(key) ?? new FieldSet();
    const part = parts.get(key);
    if (part === undefined) continue;
    if (!isOwned(key, below) || isOwned(key, now)) removeAbandoned(part.field, part.value, below, now);
    else if (Array.isArray(value)) value.splice(value.indexOf(part.value), 1);
    else if (isJsonObject(value)) delete value[key.slice(2)];
  }
}

/** A struct belongs to the owners of its fields, an entry of a list does not. */
function isOwned(key: string, set: FieldSet): boolean {
  return set.isMember || (key.startsWith('f:') && !set.isEmpty);
}

/** https://github.com/kubernetes/apimachinery/blob/master/pkg/util/managedfields/internal/conflict.go */
function assertNoConflict(others: readonly Entry[], changed: FieldSet): void {
  const conflicts = others
    .map(({ head, fields }) => ({ owner: nameOf(head), paths: [...commonPaths(fields, changed)] }))
    .filter(({ paths }) => paths.length > 0)
    .sort((a, b) => (a.owner < b.owner ? -1 : 1));
  const causes = conflicts.flatMap(({ owner, paths }) =>
    paths.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${owner}`, field })),
  );
  const [first] = causes;
  if (first === undefined) return;
  const listed = conflicts.map(({ owner, paths }) => [`conflicts with ${owner}:`, ...paths].join('\n- '));
  const text =
    causes.length === 1
      ? `1 conflict: ${first.message}: ${first.field}`
      : `${causes.length} conflicts: ${listed.join('\n')}`;
  throw new ApiStatus(409, 'Conflict', `Apply failed with ${text}`, { causes });
}

function nameOf({ manager, operation, apiVersion, subresource }: JsonObject): string {
  const through = subresource === undefined ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  const version = operation === 'Update' ? ` using ${showJson(apiVersion)}` : '';
  return JSON.stringify(manager) + through + version;
}

/** As upstream sorts them: fields before what is in others. */
function* commonPaths(a: FieldSet, b: FieldSet, path = ''): Generator<string> {
  const both = [...a.children].sort().flatMap(([key, mine]) => {
    const theirs = b.children.get(key);
    return theirs === undefined ? [] : [{ mine, theirs, at: path + elementOf(key) }];
  });
  for (const { mine, theirs, at } of both) if (mine.isMember && theirs.isMember) yield at;
  for (const { mine, theirs, at } of both) yield* commonPaths(mine, theirs, at);
}

/** `.image`, `[name="web"]`, `[="value"]`. */
function elementOf(key: string): string {
  const text = key.slice(2);
  if (key.startsWith('f:')) return `.${text}`;
  if (key.startsWith('v:')) return `[=${text}]`;
  const members = Object.entries(JSON.parse(text) as JsonObject);
  return `[${members.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(',')}]`;
}
