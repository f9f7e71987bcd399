import { type Json, type JsonObject } from '@/lib/kube/json';
import { type ApiCore, timestamp, type WriteOptions } from '@/sandbox/api/api-core';
import { badRequest, conflict } from '@/sandbox/api/objects/api-status';
import { type ResourceKind } from '@/sandbox/api/objects/resource-kind';
import {
  listOrEmptyAt,
  objectOrEmptyAt,
  type StoredObject,
  textOrEmptyAt,
} from '@/sandbox/api/objects/stored-object';
import { updateObject } from '@/sandbox/api/update-object';

/**
 * Binds a pod to a node, once. Throws ApiStatus.
 * https://kubernetes.io/docs/reference/kubernetes-api/core/binding-v1/
 */
export function bindPod(
  core: ApiCore,
  kind: ResourceKind,
  namespace: string,
  name: string,
  binding: Json,
  options: WriteOptions,
): JsonObject {
  const node = textOrEmptyAt(binding, 'target', 'name');
  if (node === '') throw badRequest('Binding "" is invalid: target.name: Required value');
  const change = (pod: StoredObject) => {
    const present = textOrEmptyAt(pod, 'spec', 'nodeName');
    if (present !== '') {
      const why = `pod ${name} is already assigned to node "${present}"`;
      throw conflict({ group: '', kind: 'pods/binding' }, name, why);
    }
    const conditions = listOrEmptyAt(pod, 'status', 'conditions').filter(
      (condition) => textOrEmptyAt(condition, 'type') !== 'PodScheduled',
    );
    const scheduled = {
      type: 'PodScheduled',
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: timestamp(core.now()),
    };
    pod.spec = { ...objectOrEmptyAt(pod, 'spec'), nodeName: node };
    pod.status = { ...objectOrEmptyAt(pod, 'status'), conditions: [...conditions, scheduled] };
    return pod;
  };
  updateObject(core, kind, namespace, name, change, { ...options, subresource: 'binding' });

  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
}
