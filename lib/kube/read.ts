import { isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';

/** The value under a path of member names, or undefined where any step is missing. Never throws. */
export function valueAt(root: Json | undefined, ...path: readonly string[]): Json | undefined {
  let value: Json | undefined = root;
  for (const key of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

export function objectAt(root: Json | undefined, ...path: readonly string[]): JsonObject | undefined {
  const value = valueAt(root, ...path);
  return isJsonObject(value) ? value : undefined;
}

export function textAt(root: Json | undefined, ...path: readonly string[]): string | undefined {
  const value = valueAt(root, ...path);
  return typeof value === 'string' ? value : undefined;
}

export function numberAt(root: Json | undefined, ...path: readonly string[]): number | undefined {
  const value = valueAt(root, ...path);
  return typeof value === 'number' ? value : undefined;
}

/** The objects of a list; other entries are omitted. */
export function objectsAt(root: Json | undefined, ...path: readonly string[]): JsonObject[] {
  const value = valueAt(root, ...path);
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** A condition of `status.conditions` by its type. */
export function conditionAt(status: Json | undefined, type: string): JsonObject | undefined {
  return objectsAt(status, 'conditions').find((condition) => condition.type === type);
}

/** The JSON object that a text holds, such as that of an annotation; undefined where it holds none. */
export function objectIn(text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
