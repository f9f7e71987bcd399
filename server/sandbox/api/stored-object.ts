import { isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';

/** A type alias and not an interface, so that it passes as JSON. */
export type OwnerEntry = {
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

/** An object as it is held. It is never changed once stored: a write makes another one, parts may be shared. */
export type StoredObject = JsonObject & { apiVersion: string; kind: string; metadata: StoredMeta };

export function namespaceOf(object: StoredObject): string {
  return object.metadata.namespace ?? '';
}

/** Where an object stands among those of its kind, in the order in which lists show them. */
export function keyOf(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** The member as an object; an empty one if it is none. */
export function objectAt(value: Json | undefined, ...path: string[]): JsonObject {
  let at: Json | undefined = value;
  for (const key of path) at = isJsonObject(at) ? at[key] : undefined;
  return isJsonObject(at) ? at : {};
}

export function listAt(value: Json | undefined, ...path: string[]): Json[] {
  const last = path.at(-1) ?? '';
  const list = objectAt(value, ...path.slice(0, -1))[last];
  return Array.isArray(list) ? list : [];
}

export function textAt(value: Json | undefined, ...path: string[]): string {
  const text = objectAt(value, ...path.slice(0, -1))[path.at(-1) ?? ''];
  return typeof text === 'string' ? text : '';
}

export function numberAt(value: Json | undefined, ...path: string[]): number {
  const number = objectAt(value, ...path.slice(0, -1))[path.at(-1) ?? ''];
  return typeof number === 'number' ? number : 0;
}

/** Text as it is, nothing as '', anything else as JSON. */
export function showJson(value: Json | undefined): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
}
