import {
  deepEqual,
  isJsonObject,
  type Json,
  type JsonObject,
  memberOf,
  parseJson,
  setMember,
  stringifyGo,
} from '@/lib/kube/json';
import { rootField } from '@/sandbox/api/field-set';
import { badRequest, unprocessablePatch, unsupportedMediaType } from '@/sandbox/api/objects/api-status';
import type { ResourceKind } from '@/sandbox/api/objects/resource-kind';
import { copyJson } from '@/sandbox/api/objects/stored-object';
import { applyStrategicMerge } from '@/sandbox/api/strategic-merge';

/** Reads a patch. Throws ApiStatus: 415 on an unsupported type, 400 on invalid text. */
export function parsePatch(
  kind: ResourceKind,
  contentType: string,
  text: string,
): (document: JsonObject) => JsonObject {
  switch (contentType) {
    case 'application/json-patch+json':
      return (document) => applyJsonPatch(document, text);
    case 'application/merge-patch+json': {
      const patch = parseObject(text, 'error decoding patch: ');
      return (document) => mergePatch(document, patch);
    }
    case 'application/strategic-merge-patch+json': {
      if (kind.schema === undefined) throw unsupportedMediaType();
      const patch = parseObject(text);
      return (document) => applyStrategicMerge(rootField(kind), document, patch);
    }
    default:
      throw unsupportedMediaType();
  }
}

function parseText(text: string, parse: (text: string) => Json): Json {
  try {
    return parse(text);
  } catch (error) {
    throw badRequest(`error decoding patch: ${String(error)}`);
  }
}

function parseObject(text: string, prefix = ''): JsonObject {
  const value = parseText(text, parseJson);
  if (isJsonObject(value)) return value;
  const found = Array.isArray(value) ? 'array' : typeof value;
  throw badRequest(`${prefix}json: cannot unmarshal ${found} into Go value of type map[string]interface {}`);
}

/** https://www.rfc-editor.org/rfc/rfc7386 */
function mergePatch(target: Json | undefined, patch: JsonObject): JsonObject {
  const result: JsonObject = isJsonObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else if (isJsonObject(value)) setMember(result, key, mergePatch(memberOf(result, key), value));
    else if (value !== undefined) setMember(result, key, value);
  }
  return result;
}

/** Stands for a scalar that is written in another way than the API server writes it. */
const WRITTEN_OTHERWISE: JsonObject = { '\0': 'written otherwise' };

/**
 * The document after all operations. Throws ApiStatus 422 when one does not apply, `test` included; 400 when
 * the text is no JSON patch. As in the API server, `test` compares scalars as they are written: `1.0` is not
 * `1`, and `<` must be written `\u003c`. https://www.rfc-editor.org/rfc/rfc6902
 */
export function applyJsonPatch(document: JsonObject, text: string): JsonObject {
  const operations = parseOperations(text, parseJson);
  const asWritten = parseOperations(text, parseAsWritten);
  // One more level, so that an operation on the whole document has a parent, too.
  const root: JsonObject = { '': copyJson(document) };
  operations.forEach((operation, index) => apply(root, operation, asWritten[index]?.value ?? null));
  const result = root[''];
  if (!isJsonObject(result)) throw unprocessablePatch();
  return result;
}

function parseOperations(text: string, parse: (text: string) => Json): JsonObject[] {
  const operations = parseText(text, parse);
  if (Array.isArray(operations) && operations.every(isJsonObject)) return operations;
  throw badRequest(
    'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
  );
}

function parseAsWritten(text: string): Json {
  return JSON.parse(text, (_key, value: Json, { source }: { source?: string }) => {
    if (source === undefined) return value;
    if (typeof value === 'string') return source === stringifyGo(value) ? value : WRITTEN_OTHERWISE;
    if (typeof value !== 'number' || source === String(value)) return value;
    return JSON.rawJSON?.(source) ?? value;
  });
}

/** As upstream, takes a missing value for null, and an absent member equals null; `replace` adds it. */
function apply(root: JsonObject, { op, path, from, value = null }: JsonObject, asWritten: Json): void {
  const to = pointer(root, path);
  switch (op) {
    case 'add':
      return add(to, copyJson(value));
    case 'remove':
      return remove(to);
    case 'replace':
      if (valueAt(to) !== undefined) remove(to);
      return add(to, copyJson(value));
    case 'move': {
      const source = pointer(root, from);
      const moved = presentAt(source);
      remove(source);
      return add(pointer(root, path), moved);
    }
    case 'copy':
      return add(to, copyJson(presentAt(pointer(root, from))));
    case 'test':
      if (!deepEqual(valueAt(to) ?? null, asWritten)) throw unprocessablePatch();
      return;
    default:
      throw unprocessablePatch();
  }
}

interface Place {
  readonly parent: Json;
  readonly key: string;
}

/** Upstream ignores what precedes the first slash. https://www.rfc-editor.org/rfc/rfc6901 */
function pointer(root: JsonObject, path: Json | undefined): Place {
  if (typeof path !== 'string' || (path !== '' && !path.includes('/'))) throw unprocessablePatch();
  const names = path.split('/').slice(1);
  const keys = ['', ...names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))];
  const key = keys.pop() ?? '';
  return { parent: keys.reduce<Json>((parent, name) => presentAt({ parent, key: name }), root), key };
}

function valueAt({ parent, key }: Place): Json | undefined {
  if (Array.isArray(parent)) return parent[indexIn(parent, key, parent.length - 1)];
  if (!isJsonObject(parent)) throw unprocessablePatch();
  return memberOf(parent, key);
}

function presentAt(place: Place): Json {
  const value = valueAt(place);
  if (value === undefined) throw unprocessablePatch();
  return value;
}

function add({ parent, key }: Place, value: Json): void {
  if (Array.isArray(parent))
    parent.splice(key === '-' ? parent.length : indexIn(parent, key, parent.length), 0, value);
  else if (isJsonObject(parent)) setMember(parent, key, value);
  else throw unprocessablePatch();
}

function remove(place: Place): void {
  const { parent, key } = place;
  presentAt(place);
  if (Array.isArray(parent)) parent.splice(indexIn(parent, key, parent.length - 1), 1);
  else if (isJsonObject(parent)) delete parent[key];
}

/** Negative indexes count from the end, as upstream allows. */
function indexIn(list: Json[], key: string, max: number): number {
  if (!/^-?\d+$/.test(key)) throw unprocessablePatch();
  const index = Number(key) < 0 ? list.length + Number(key) : Number(key);
  if (index < 0 || index > max) throw unprocessablePatch();
  return index;
}
