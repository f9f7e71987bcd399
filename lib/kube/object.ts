import type { JsonObject } from '@/lib/kube/json';

/** Owner of an object; `controller: true` marks the one that manages it. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
}

/** Who wrote which fields, and when. https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management */
export interface ManagedFieldsEntry {
  manager: string;
  operation: string;
  time?: string;
  subresource?: string;
  fieldsV1?: JsonObject;
}

/** Metadata as the API server writes it; times are RFC 3339 text. */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid: string;
  resourceVersion: string;
  generation?: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFieldsEntry[];
  finalizers?: string[];
}

/** A Kubernetes object as raw JSON; never typed further than a reader needs. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec?: JsonObject;
  status?: JsonObject;
  /** Body of a ControllerRevision. */
  data?: JsonObject;
  /** Number of a ControllerRevision. */
  revision?: number;
}

/** The API group of an `apiVersion`; empty for the core group. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/** The owner that controls an object; undefined for an orphan. */
export function controllerOf(owners: readonly OwnerReference[] = []): OwnerReference | undefined {
  return owners.find((owner) => owner.controller === true);
}

/** The uid of the controlling owner, or undefined for an orphan. Names and labels never decide ownership. */
export function controllerUidOf(object: { metadata: ObjectMeta }): string | undefined {
  return controllerOf(object.metadata.ownerReferences)?.uid;
}
