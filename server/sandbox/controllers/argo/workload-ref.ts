import { type KubeObject } from '@/lib/kube/object';
import { type ArgoRollout, WORKLOAD_GENERATION } from '@/server/sandbox/controllers/argo/argo-rollout';
import { type Resource } from '@/server/sandbox/controllers/engine/resource';
import { type World } from '@/server/sandbox/controllers/engine/world';
import { type Template } from '@/server/sandbox/controllers/objects/pod';

/**
 * The Rollout with the template of the Deployment or ReplicaSet that it refers to, and the generation of that noted; as it
 * is where it has a template of its own, or there is no such object.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/templateref.go
 */
export async function withReferredTemplate(
  world: World,
  rollouts: Resource<ArgoRollout>,
  rollout: ArgoRollout,
): Promise<ArgoRollout> {
  const { workloadRef } = rollout.spec;
  if (workloadRef === undefined) return rollout;
  const stores = { Deployment: world.deployments.store, ReplicaSet: world.replicaSets.store };
  const store = stores[workloadRef.kind as keyof typeof stores];
  const referred = store
    ?.in(rollout.metadata.namespace)
    .find(({ metadata }) => metadata.name === workloadRef.name);
  if (referred === undefined) return rollout;
  const generation = String(referred.metadata.generation ?? 0);
  const noted = rollout.metadata.annotations?.[WORKLOAD_GENERATION] === generation;
  const { metadata } = noted
    ? rollout
    : await rollouts.merge(rollout, { metadata: { annotations: { [WORKLOAD_GENERATION]: generation } } });
  const template: Template = referred.spec.template;
  return { ...rollout, metadata, spec: { ...rollout.spec, template } };
}

/** Whether a Rollout refers to the object. */
export function refersTo({ metadata, spec }: ArgoRollout, { kind, metadata: other }: KubeObject): boolean {
  const { workloadRef } = spec;
  return (
    workloadRef?.kind === kind && workloadRef.name === other.name && metadata.namespace === other.namespace
  );
}
