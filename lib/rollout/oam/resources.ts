import type { ResourceType } from '@/lib/kube/resource';
import { customResource, findWorkloadResource } from '@/lib/rollout/resource-types';

const STANDARD = 'standard.oam.dev';
const CORE = 'core.oam.dev';

/** As shipped with KubeVela 1.1 to 1.8, and run by Shiplog's own controller. */
export const oamRollouts: ResourceType = {
  ...customResource(STANDARD, 'rollouts', 'Rollout', ['v1alpha1']),
  label: 'OAM Rollout',
};

/* Objects left by earlier versions of KubeVela. No controller works on them any more. */
export const appRollouts = customResource(CORE, 'approllouts', 'AppRollout', ['v1beta1', 'v1alpha2']);
export const appDeployments = customResource(CORE, 'appdeployments', 'AppDeployment', ['v1beta1']);
export const applicationDeployments = customResource(
  CORE,
  'applicationdeployments',
  'ApplicationDeployment',
  ['v1alpha2'],
);
export const rolloutTraits = customResource(STANDARD, 'rollouttraits', 'RolloutTrait', ['v1alpha1']);

const WORKLOADS = [
  'apps/Deployment',
  'apps/StatefulSet',
  'apps.kruise.io/CloneSet',
  'apps.kruise.io/StatefulSet',
] as const;

/** The resource of a workload that a Rollout can move; null for any other. */
export function workloadResource(apiVersion: string, kind: string): string | null {
  return findWorkloadResource(apiVersion, kind, WORKLOADS);
}

/** Why objects of a legacy generation are not written. */
export function describeReadOnly({ kind, id }: ResourceType): string {
  return id === rolloutTraits.id
    ? `${kind}s are read-only: no version of KubeVela had a controller for them.`
    : `${kind}s are read-only: KubeVela v1.2 removed their controller.`;
}
