import { isJsonObject, type Json, type JsonObject, memberOf, parseJson, setMember } from '@/lib/kube/json';
import { type PatchOrigin } from '@/sandbox/api/api-core';
import { ApiStatus, badRequest, unsupportedMediaType } from '@/sandbox/api/objects/api-status';
import { applyJsonPatch } from '@/sandbox/api/json-patch';
import { type ResourceKind } from '@/sandbox/api/objects/resource-kind';
import { applyStrategicMerge, goText } from '@/sandbox/api/strategic-merge';

type Patch = (document: JsonObject) => JsonObject;

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';

/** Reads a patch. Throws ApiStatus: 415 on an unsupported type, 400 on invalid text. */
export function parsePatch(kind: ResourceKind, contentType: string, text: string): Patch {
  const { schema } = kind;
  switch (contentType) {
    case JSON_PATCH:
      return (document) => applyJsonPatch(document, text);
    case MERGE_PATCH: {
      const patch = parseObject(text, 'error decoding patch: ');
      return (document) => mergePatch(document, patch);
    }
    case STRATEGIC: {
      if (schema === undefined) throw unsupportedMediaType([JSON_PATCH, MERGE_PATCH]);
      const patch = parseObject(text);
      return (document) => applyStrategicMerge(schema, document, patch);
    }
    default:
      throw new ApiStatus(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  }
}

export function originOf(contentType: string, text: string): PatchOrigin {
  return { strategic: contentType === STRATEGIC ? goText(parseObject(text)) : undefined };
}

function parseObject(text: string, prefix = ''): JsonObject {
  let value: Json;
  try {
    value = parseJson(text);
  } catch (error) {
    throw badRequest(`error decoding patch: ${error instanceof Error ? error.message : 'no JSON'}`);
  }
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
