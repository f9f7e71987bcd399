import type { ResourceType } from '@/lib/kube/resource';

/** https://docs.flagger.app/usage/how-it-works */
export const canaries: ResourceType = {
  id: 'canaries.flagger.app',
  group: 'flagger.app',
  versions: ['v1beta1'],
  plural: 'canaries',
  kind: 'Canary',
  isCustom: true,
};

/** By group and kind. Of a Service, or of Knative's, Shiplog knows no history. */
const TARGETS: Readonly<Record<string, string>> = {
  'apps/Deployment': 'deployments.apps',
  'apps/DaemonSet': 'daemonsets.apps',
};

export function targetResource(apiVersion: string, kind: string): string | null {
  const key = `${apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')))}/${kind}`;
  return Object.hasOwn(TARGETS, key) ? (TARGETS[key] ?? null) : null;
}
