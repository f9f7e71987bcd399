import type { ResourceType } from '@/lib/kube/resource';

const STANDARD = 'standard.oam.dev';
const CORE = 'core.oam.dev';

function type(
  group: string,
  plural: string,
  kind: string,
  versions: readonly string[],
  label?: string,
): ResourceType {
  return {
    id: `${plural}.${group}`,
    group,
    versions,
    plural,
    kind,
    isCustom: true,
    ...(label !== undefined && { label }),
  };
}

/** As shipped with KubeVela 1.1 to 1.8, and run by Shiplog's own controller. */
export const oamRollouts = type(STANDARD, 'rollouts', 'Rollout', ['v1alpha1'], 'OAM Rollout');

/* Objects left by earlier versions of KubeVela. No controller works on them any more. */
export const appRollouts = type(CORE, 'approllouts', 'AppRollout', ['v1beta1', 'v1alpha2']);
export const appDeployments = type(CORE, 'appdeployments', 'AppDeployment', ['v1beta1']);
export const applicationDeployments = type(CORE, 'applicationdeployments', 'ApplicationDeployment', [
  'v1alpha2',
]);
export const rolloutTraits = type(STANDARD, 'rollouttraits', 'RolloutTrait', ['v1alpha1']);

/** By group and kind: those that a Rollout moves, of which Shiplog knows the history. */
const WORKLOADS: Readonly<Record<string, string>> = {
  'apps/Deployment': 'deployments.apps',
  'apps/StatefulSet': 'statefulsets.apps',
  'apps.kruise.io/CloneSet': 'clonesets.apps.kruise.io',
  'apps.kruise.io/StatefulSet': 'statefulsets.apps.kruise.io',
};

/** The resource of a workload that a Rollout can move; null for any other. */
export function workloadResource(apiVersion: string, kind: string): string | null {
  const key = `${apiVersion.slice(0, Math.max(0, apiVersion.lastIndexOf('/')))}/${kind}`;
  return Object.hasOwn(WORKLOADS, key) ? (WORKLOADS[key] ?? null) : null;
}
