import { type KubeObject } from '@/lib/kube/object';
import { type CustomKind } from '@/sandbox/controllers/engine/custom-kind';
import { type Resource } from '@/sandbox/controllers/engine/resource';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { type BatchReleaseObject } from '@/sandbox/controllers/kruise/shared/batch-release-object';
import { type KruiseResource, type TargetRef } from '@/sandbox/controllers/kruise/shared/rollout-object';

/** The kinds that the controllers of Rollouts share; each exists once it is served. */
export interface KruiseKinds {
  readonly rollouts: CustomKind<KruiseResource>;
  readonly batchReleases: CustomKind<BatchReleaseObject>;
  readonly cloneSets: CustomKind<KubeObject>;
  readonly statefulSets: CustomKind<KubeObject>;
  readonly daemonSets: CustomKind<KubeObject>;
}

export function followKruise(manager: ControllerManager): KruiseKinds {
  return {
    rollouts: manager.follow('rollouts.rollouts.kruise.io'),
    batchReleases: manager.follow('batchreleases.rollouts.kruise.io'),
    cloneSets: manager.follow('clonesets.apps.kruise.io'),
    statefulSets: manager.follow('statefulsets.apps.kruise.io'),
    daemonSets: manager.follow('daemonsets.apps.kruise.io'),
  };
}

/**
 * The client for the workload of a Rollout; undefined for a kind that cannot be rolled out, or is not served.
 */
export function workloadsOf(
  manager: ControllerManager,
  kinds: KruiseKinds,
  { apiVersion, kind }: TargetRef,
): Resource<KubeObject> | undefined {
  const isKruise = apiVersion.startsWith('apps.kruise.io/');
  switch (kind) {
    case 'Deployment':
      return manager.deployments.as('kruise-manager') as unknown as Resource<KubeObject>;
    case 'CloneSet':
      return kinds.cloneSets.resource?.as('kruise-manager');
    case 'StatefulSet':
      return isKruise
        ? kinds.statefulSets.resource?.as('kruise-manager')
        : (manager.statefulSets.as('kruise-manager') as unknown as Resource<KubeObject>);
    case 'DaemonSet':
      return isKruise
        ? kinds.daemonSets.resource?.as('kruise-manager')
        : (manager.daemonSets.as('kruise-manager') as unknown as Resource<KubeObject>);
    default:
      return undefined;
  }
}

/** Calls back for every change of an object that may be the workload of a Rollout. */
export function onWorkloadChange(
  manager: ControllerManager,
  kinds: KruiseKinds,
  listener: (workload: KubeObject) => void,
): void {
  const tell = ({ object, before }: { object?: KubeObject | undefined; before?: KubeObject | undefined }) => {
    const state = object ?? before;
    if (state !== undefined) listener(state);
  };
  manager.deployments.store.onChange(tell);
  manager.statefulSets.store.onChange(tell);
  manager.daemonSets.store.onChange(tell);
  kinds.cloneSets.onChange(tell);
  kinds.statefulSets.onChange(tell);
  kinds.daemonSets.onChange(tell);
}
