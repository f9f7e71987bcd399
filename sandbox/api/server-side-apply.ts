import { parse } from 'yaml';
import { isJsonObject, type Json, type JsonObject, parseJson } from '@/lib/kube/json';
import { type ApiCore } from '@/sandbox/api/api-core';
import { copyJson } from '@/sandbox/api/copy';
import { createObject } from '@/sandbox/api/create-object';
import { decodeObject } from '@/sandbox/api/decode';
import { compareFields } from '@/sandbox/api/field-changes';
import { type FieldSet } from '@/sandbox/api/field-set';
import { type Entry, entryOf, isSameWriter, pruneUnowned, readEntries } from '@/sandbox/api/managed-fields';
import { mergeConfiguration } from '@/sandbox/api/merge-configuration';
import { ApiStatus, badRequest, invalid, required } from '@/sandbox/api/objects/api-status';
import { resourceName, type ResourceKind } from '@/sandbox/api/objects/resource-kind';
import { showJson } from '@/sandbox/api/objects/stored-object';
import { fromStored, updateObject, type UpdateOptions } from '@/sandbox/api/update-object';

export const APPLY = 'application/apply-patch+yaml';

/**
 * Applies a configuration, and creates the object where it is absent. It may not have unknown fields; those of an
 * earlier client-side apply conflict, too. Throws ApiStatus: 409 on fields that other managers own with other values.
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/
 */
export function applyObject(
  core: ApiCore,
  kind: ResourceKind,
  place: { namespace: string; name: string },
  text: string,
  query: URLSearchParams,
  { subresource, ...common }: UpdateOptions,
) {
  if ((query.get('fieldManager') ?? '') === '')
    throw invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', [
      required('fieldManager', 'is required for apply patch'),
    ]);
  const { version } = common;
  const struct = kind.schema ?? kind.keyedLists;
  const configuration = parseConfiguration(text);
  const changedIn = (before: JsonObject, after: JsonObject) =>
    pruneUnowned(kind, subresource, compareFields(struct, before, after).changed);
  const applied = withoutStructs(changedIn({}, configuration));
  const options = { ...common, applied, fieldValidation: 'Strict' } as const;
  const { namespace, name } = place;
  if (subresource === '' && core.store.get(resourceName(kind), namespace, name) === undefined) {
    const draft = decodeObject(kind, version, configuration, place);
    return {
      code: 201,
      object: fromStored(kind, version, createObject(core, kind, namespace, draft, options)),
    };
  }
  const mine = entryOf(kind, { ...options, subresource, time: '' });
  const object = updateObject(
    core,
    kind,
    namespace,
    name,
    (live) => {
      const entries = readEntries(live);
      const { fields: last } = entries.find((entry) => isSameWriter(entry, mine)) ?? mine;
      const others = entries.filter((entry) => !isSameWriter(entry, mine));
      const owned = compareFields(struct, {}, configuration).changed;
      for (const { fields } of others) owned.add(fields);
      const next = mergeConfiguration(kind, copyJson(live), configuration, { last, owned });
      if (query.get('force') !== 'true') assertNoConflict(others, changedIn(live, next));
      return decodeObject(kind, version, next, place);
    },
    { ...options, subresource },
  );
  return { code: 200, object };
}

function parseConfiguration(text: string): JsonObject {
  const object = parseBody(text);
  if (!isJsonObject(object)) throw badRequest('error decoding YAML: not an object');
  if (isJsonObject(object.metadata) && (object.metadata.managedFields ?? null) !== null)
    throw badRequest('metadata.managedFields must be nil');
  return object;
}

/** JSON is parsed as such: it has long numbers. */
function parseBody(text: string): Json {
  try {
    return parseJson(text.trimStart().startsWith('{') ? text : JSON.stringify(parse(text)));
  } catch (error) {
    throw badRequest(`error decoding YAML: ${error instanceof Error ? error.message : 'no YAML'}`);
  }
}

/** A configuration owns its values and entries of lists; an update also the structs around them. */
function withoutStructs(set: FieldSet): FieldSet {
  for (const [key, below] of set.children) {
    if (key.startsWith('f:') && below.children.size > 0) below.isMember = false;
    withoutStructs(below);
  }
  return set;
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
