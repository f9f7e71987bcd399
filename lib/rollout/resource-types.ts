import { groupOf } from '@/lib/kube/object';
import type { ResourceType } from '@/lib/kube/resource';

/** A resource that a system defines; `versions` in the order in which they are preferred. */
export function customResource(
  group: string,
  plural: string,
  kind: string,
  versions: readonly string[],
): ResourceType {
  return { id: `${plural}.${group}`, group, versions, plural, kind, isCustom: true };
}

/** By group and kind: workloads that a rollout can move, and of which Shiplog knows the history. */
const WORKLOADS = {
  'apps/Deployment': 'deployments.apps',
  'apps/StatefulSet': 'statefulsets.apps',
  'apps/DaemonSet': 'daemonsets.apps',
  'apps.kruise.io/CloneSet': 'clonesets.apps.kruise.io',
  'apps.kruise.io/StatefulSet': 'statefulsets.apps.kruise.io',
  'apps.kruise.io/DaemonSet': 'daemonsets.apps.kruise.io',
} as const;

/**
 * The resource of one of the kinds that a system moves, in any version; null for any other. `known`: those of a system that
 * does not move all.
 */
export function findWorkloadResource(
  apiVersion: string,
  kind: string,
  known = Object.keys(WORKLOADS) as readonly (keyof typeof WORKLOADS)[],
): string | null {
  const wanted = `${groupOf(apiVersion)}/${kind}`;
  const key = known.find((each) => each === wanted);
  return key === undefined ? null : WORKLOADS[key];
}
