import { type Json, type JsonObject } from '@/lib/kube/json';
import { type ApiCore, timestamp, type WriteOptions } from '@/server/sandbox/api/api-core';
import { badRequest, conflict } from '@/server/sandbox/api/api-status';
import { type ResourceKind } from '@/server/sandbox/api/resource-kind';
import { listAt, objectAt, textAt } from '@/server/sandbox/api/stored-object';
import { updateObject } from '@/server/sandbox/api/update-object';

/** Puts a pod on a node, once. Throws ApiStatus. https://kubernetes.io/docs/reference/kubernetes-api/core/binding-v1/ */
export function bindPod(
  core: ApiCore,
  kind: ResourceKind,
  namespace: string,
  name: string,
  binding: Json,
  options: WriteOptions,
): JsonObject {
  const node = textAt(binding, 'target', 'name');
  if (node === '') throw badRequest('Binding "" is invalid: target.name: Required value');
  const change = (pod: Parameters<Parameters<typeof updateObject>[4]>[0]) => {
    const present = textAt(pod, 'spec', 'nodeName');
    if (present !== '') {
      throw conflict(
        { group: '', kind: 'pods/binding' },
        name,
        `pod ${name} is already assigned to node ${JSON.stringify(present)}`,
      );
    }
    const conditions = listAt(pod, 'status', 'conditions').filter(
      (condition) => textAt(condition, 'type') !== 'PodScheduled',
    );
    const scheduled = {
      type: 'PodScheduled',
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: timestamp(core.now()),
    };
    pod.spec = { ...objectAt(pod, 'spec'), nodeName: node };
    pod.status = { ...objectAt(pod, 'status'), conditions: [...conditions, scheduled] };
    return pod;
  };
  updateObject(core, kind, namespace, name, change, { ...options, subresource: 'binding' });

  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
}
