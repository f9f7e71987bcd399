import { isJsonObject, isRawNumber, type Json, type JsonObject, setMember } from '@/lib/kube/json';

/** A type alias and not an interface, so that it is assignable to JSON. */
type OwnerEntry = {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
};

export type StoredMeta = JsonObject & {
  name: string;
  namespace?: string;
  uid: string;
  resourceVersion: string;
  generation?: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerEntry[];
  finalizers?: string[];
  managedFields?: JsonObject[];
};

/** A stored object. It is never changed: a write makes another one, which may share fields with it. */
export type StoredObject = JsonObject & { apiVersion: string; kind: string; metadata: StoredMeta };

export function namespaceOf(object: StoredObject): string {
  return object.metadata.namespace ?? '';
}

/** The key of an object within its kind; lists are sorted by it. */
export function keyOf(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** The member as an object; empty if it is none. */
export function objectOrEmptyAt(value: Json | undefined, ...path: string[]): JsonObject {
  let at: Json | undefined = value;
  for (const key of path) at = isJsonObject(at) ? at[key] : undefined;
  return isJsonObject(at) ? at : {};
}

export function listOrEmptyAt(value: Json | undefined, ...path: string[]): Json[] {
  const last = path.at(-1) ?? '';
  const list = objectOrEmptyAt(value, ...path.slice(0, -1))[last];
  return Array.isArray(list) ? list : [];
}

export function textOrEmptyAt(value: Json | undefined, ...path: string[]): string {
  const text = objectOrEmptyAt(value, ...path.slice(0, -1))[path.at(-1) ?? ''];
  return typeof text === 'string' ? text : '';
}

export function numberOrZeroAt(value: Json | undefined, ...path: string[]): number {
  const number = objectOrEmptyAt(value, ...path.slice(0, -1))[path.at(-1) ?? ''];
  return typeof number === 'number' ? number : 0;
}

/** Text as it is, undefined as '', anything else as JSON. */
export function showJson(value: Json | undefined): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
}

/** A deep copy that may be changed; numbers kept as text stay so, unlike with `structuredClone`. */
export function copyJson<T extends Json>(value: T): T {
  return copy(value) as T;
}

function copy(value: Json): Json {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value;
  if (Array.isArray(value)) return value.map(copy);
  const result: JsonObject = {};
  for (const key in value) {
    const member = value[key];
    if (member !== undefined) setMember(result, key, copy(member));
  }
  return result;
}
