import {
  deepEqual,
  isJsonObject,
  type Json,
  type JsonObject,
  parseJson,
  setMember,
  stringifyGo,
} from '@/lib/kube/json';
import { badRequest, unprocessablePatch } from '@/sandbox/api/objects/api-status';
import { copyJson } from '@/sandbox/api/copy';

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
  let result: Json = copyJson(document);
  operations.forEach((operation, index) => {
    result = apply(result, operation, asWritten[index]?.value);
  });
  if (!isJsonObject(result)) throw unprocessablePatch();

  return result;
}

function parseOperations(text: string, parse: (text: string) => Json): JsonObject[] {
  let operations: Json;
  try {
    operations = parse(text);
  } catch (error) {
    throw badRequest(`error decoding patch: ${error instanceof Error ? error.message : 'no JSON'}`);
  }
  if (!Array.isArray(operations)) {
    throw badRequest(
      'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    );
  }
  if (!operations.every(isJsonObject)) throw badRequest('error decoding patch: an operation is no object');

  return operations;
}

function parseAsWritten(text: string): Json {
  return JSON.parse(text, (_key, value: Json, { source }: { source?: string }) =>
    typeof value !== 'string' || source === undefined || source === stringifyGo(value)
      ? typeof value === 'number' && source !== undefined && source !== String(value)
        ? (JSON.rawJSON?.(source) ?? value)
        : value
      : WRITTEN_OTHERWISE,
  );
}

function apply(document: Json, operation: JsonObject, asWritten: Json | undefined): Json {
  const path = pointer(operation.path);
  switch (operation.op) {
    case 'add':
      return add(document, path, valueOf(operation));
    case 'remove':
      return remove(document, path);
    case 'replace':
      return replace(document, path, valueOf(operation));
    case 'move': {
      const from = pointer(operation.from);
      const value = find(document, from);
      return add(remove(document, from), path, value);
    }
    case 'copy':
      return add(document, path, copyJson(find(document, pointer(operation.from))));
    case 'test':
      test(document, path, asWritten);
      return document;
    default:
      throw unprocessablePatch();
  }
}

/** As upstream, sets a member that is missing; an entry of a list must exist. */
function replace(document: Json, path: string[], value: Json): Json {
  const key = path.at(-1);
  const parent = key === undefined ? document : find(document, path.slice(0, -1));
  if (key !== undefined && childOf(parent, key) !== undefined) remove(document, path);

  return add(document, path, value);
}

/** As upstream, takes a missing value for null. */
function valueOf({ value }: JsonObject): Json {
  return copyJson(value ?? null);
}

/** As upstream, an absent member equals null. */
function test(document: Json, path: string[], value: Json | undefined): void {
  const parent = path.length === 0 ? undefined : find(document, path.slice(0, -1));
  const found = parent === undefined ? document : childOf(parent, path.at(-1) ?? '');
  if (!deepEqual(found ?? null, value ?? null)) throw unprocessablePatch();
}

/** https://www.rfc-editor.org/rfc/rfc6901 */
function pointer(path: Json | undefined): string[] {
  if (typeof path !== 'string') throw unprocessablePatch();
  if (path !== '' && !path.includes('/')) throw unprocessablePatch();

  // Upstream ignores what precedes the first slash.
  return path
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function find(document: Json, path: string[]): Json {
  let at: Json | undefined = document;
  for (const key of path) {
    at = childOf(at, key);
    if (at === undefined) throw unprocessablePatch();
  }
  return at;
}

function childOf(parent: Json, key: string): Json | undefined {
  if (Array.isArray(parent)) return parent[indexIn(parent, key, parent.length - 1)];
  if (!isJsonObject(parent)) throw unprocessablePatch();

  return Object.hasOwn(parent, key) ? parent[key] : undefined;
}

/** Changes the document, which this module owns, except at its root. */
function add(document: Json, path: string[], value: Json): Json {
  const key = path.at(-1);
  if (key === undefined) return value;
  const parent = find(document, path.slice(0, -1));
  if (Array.isArray(parent))
    parent.splice(key === '-' ? parent.length : indexIn(parent, key, parent.length), 0, value);
  else if (isJsonObject(parent)) setMember(parent, key, value);
  else throw unprocessablePatch();

  return document;
}

function remove(document: Json, path: string[]): Json {
  const key = path.at(-1);
  if (key === undefined) throw unprocessablePatch();
  const parent = find(document, path.slice(0, -1));
  if (childOf(parent, key) === undefined) throw unprocessablePatch();
  if (Array.isArray(parent)) parent.splice(indexIn(parent, key, parent.length - 1), 1);
  else if (isJsonObject(parent)) delete parent[key];

  return document;
}

/** Negative indexes count from the end, as upstream allows. */
function indexIn(list: Json[], key: string, max: number): number {
  if (!/^-?\d+$/.test(key)) throw unprocessablePatch();
  const index = Number(key) < 0 ? list.length + Number(key) : Number(key);
  if (index < 0 || index > max) throw unprocessablePatch();

  return index;
}
