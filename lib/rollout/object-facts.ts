import type { KubeObject } from '@/lib/kube/object';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { RolloutObject } from '@/lib/rollout/rollout-facts';

/** What the metadata of any rollout's object contains; a cluster-scoped one has the namespace `-`. */
export function objectFacts({
  apiVersion,
  metadata,
}: KubeObject): Pick<
  RolloutObject,
  'version' | 'uid' | 'namespace' | 'name' | 'resourceVersion' | 'generation' | 'createdAt' | 'deletedAt'
> {
  return {
    version: apiVersion.slice(apiVersion.lastIndexOf('/') + 1),
    uid: metadata.uid,
    namespace: metadata.namespace ?? '-',
    name: metadata.name,
    resourceVersion: metadata.resourceVersion,
    generation: metadata.generation ?? 0,
    createdAt: metadata.creationTimestamp,
    deletedAt: metadata.deletionTimestamp ?? null,
  };
}

/** What a rollout in the common shape has of its object as it is. */
export function identityFacts(
  { resource, namespace, name, uid, createdAt, deletedAt, workload }: RolloutObject,
  state: ProgressiveRollout['workload']['state'],
) {
  return { resource, namespace, name, uid, createdAt, deletedAt, workload: { ...workload, state } };
}
