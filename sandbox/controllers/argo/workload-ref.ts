import { type KubeObject } from '@/lib/kube/object';
import { type ArgoResource, WORKLOAD_GENERATION } from '@/sandbox/controllers/argo/argo-rollout';
import { type Resource } from '@/sandbox/controllers/engine/resource';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { type PodTemplateSpec } from '@/sandbox/controllers/objects/pod';

/**
 * The Rollout with the template of the Deployment or ReplicaSet that it refers to, and that object's
 * generation; unchanged where it has a template of its own, or the object does not exist.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/templateref.go
 */
export async function withReferredTemplate(
  manager: ControllerManager,
  rollouts: Resource<ArgoResource>,
  rollout: ArgoResource,
): Promise<ArgoResource> {
  const { workloadRef } = rollout.spec;
  if (workloadRef === undefined) return rollout;
  const stores = { Deployment: manager.deployments.store, ReplicaSet: manager.replicaSets.store };
  const store = stores[workloadRef.kind as keyof typeof stores];
  const referred = store
    ?.inNamespace(rollout.metadata.namespace)
    .find(({ metadata }) => metadata.name === workloadRef.name);
  if (referred === undefined) return rollout;
  const generation = String(referred.metadata.generation ?? 0);
  const noted = rollout.metadata.annotations?.[WORKLOAD_GENERATION] === generation;
  const { metadata } = noted
    ? rollout
    : await rollouts.merge(rollout, { metadata: { annotations: { [WORKLOAD_GENERATION]: generation } } });
  const template: PodTemplateSpec = referred.spec.template;
  return { ...rollout, metadata, spec: { ...rollout.spec, template } };
}

/** Whether a Rollout refers to the object. */
export function refersTo({ metadata, spec }: ArgoResource, { kind, metadata: other }: KubeObject): boolean {
  const { workloadRef } = spec;
  return (
    workloadRef?.kind === kind && workloadRef.name === other.name && metadata.namespace === other.namespace
  );
}
