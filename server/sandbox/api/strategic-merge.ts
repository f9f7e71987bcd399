import { type Struct } from '@/lib/diff/fields';
import { type JsonObject } from '@/lib/kube/json';
export function applyStrategicMerge(_schema: Struct, document: JsonObject, _patch: JsonObject): JsonObject {
  return document;
}
