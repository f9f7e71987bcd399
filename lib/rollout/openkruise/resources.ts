import type { ResourceType } from '@/lib/kube/resource';

const GROUP = 'rollouts.kruise.io';

function type(plural: string, kind: string, versions: readonly string[]): ResourceType {
  return { id: `${plural}.${GROUP}`, group: GROUP, versions, plural, kind, isCustom: true };
}

/** v1alpha1 shows a blue-green Rollout as empty; versions before 0.5 have nothing else. */
export const kruiseRollouts = type('rollouts', 'Rollout', ['v1beta1', 'v1alpha1']);
export const batchReleases = type('batchreleases', 'BatchRelease', ['v1beta1', 'v1alpha1']);
export const trafficRoutings = type('trafficroutings', 'TrafficRouting', ['v1alpha1']);
export const rolloutHistories = type('rollouthistories', 'RolloutHistory', ['v1alpha1']);

export const ROLLOUT_ID = `${GROUP}/rollout-id`;
export const ROLLOUT_NAME = `${GROUP}/rollout-name`;
export const BATCH_ID = `${GROUP}/rollout-batch-id`;
export const ROLLING_STYLE = `${GROUP}/rolling-style`;
export const TRAFFIC_ROUTING = `${GROUP}/trafficrouting`;
export const ROLLBACK_IN_BATCH = `${GROUP}/rollback-in-batch`;

/** By group and kind: OpenKruise accepts any version. */
const WORKLOADS: Readonly<Record<string, string>> = {
  'apps/Deployment': 'deployments.apps',
  'apps/StatefulSet': 'statefulsets.apps',
  'apps/DaemonSet': 'daemonsets.apps',
  'apps.kruise.io/CloneSet': 'clonesets.apps.kruise.io',
  'apps.kruise.io/StatefulSet': 'statefulsets.apps.kruise.io',
  'apps.kruise.io/DaemonSet': 'daemonsets.apps.kruise.io',
};

/** `{plural}.{group}` of a kind that a Rollout may refer to, or null for one that Shiplog does not know. */
export function workloadResource(apiVersion: string, kind: string): string | null {
  const key = `${apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')))}/${kind}`;
  return Object.hasOwn(WORKLOADS, key) ? (WORKLOADS[key] ?? null) : null;
}

/** Label of the objects that Shiplog wrote. */
export const MANAGED_BY_SHIPLOG = { 'app.kubernetes.io/managed-by': 'shiplog' } as const;
/** The annotation with the record that they were created from. */
export const RECORD_ANNOTATION = 'shiplog.dev/record';
