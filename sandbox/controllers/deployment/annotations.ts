import { type Deployment } from '@/sandbox/controllers/objects/workloads';

export const REVISION = 'deployment.kubernetes.io/revision';
export const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
export const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
export const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas';
export const ROLLBACK_TO = 'deprecated.deployment.rollback.to';

/** Never copied between a Deployment and its ReplicaSets. */
const SKIPPED = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  ROLLBACK_TO,
]);

export type Annotations = Record<string, string>;

/** A revision number; 0 when there is none. */
export function revisionOf(annotations: Annotations | undefined): number {
  return Number(annotations?.[REVISION] ?? 0) || 0;
}

/**
 * Annotations of the newest ReplicaSet: those of the Deployment except its bookkeeping, and the desired
 * revision where that is higher; its former number joins its history.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/util/deployment_util.go (SetNewReplicaSetAnnotations)
 */
export function newestAnnotations(
  present: Annotations | undefined,
  deployment: Deployment,
  wanted: number,
): Annotations {
  const result = { ...present, ...copied(deployment.metadata.annotations) };
  if (revisionOf(present) >= wanted) return result;
  const former = present?.[REVISION];
  if (former !== undefined) {
    const history = present?.[REVISION_HISTORY];
    result[REVISION_HISTORY] = history === undefined ? former : `${history},${former}`;
  }
  return { ...result, [REVISION]: String(wanted) };
}

/** Annotations of the Deployment after a rollback to a ReplicaSet. */
export function restoredAnnotations(
  present: Annotations | undefined,
  source: Annotations | undefined,
): Annotations {
  const kept = Object.entries(present ?? {}).filter(([key]) => SKIPPED.has(key));
  return { ...Object.fromEntries(kept), ...copied(source) };
}

function copied(annotations: Annotations | undefined): Annotations {
  return Object.fromEntries(Object.entries(annotations ?? {}).filter(([key]) => !SKIPPED.has(key)));
}

/** The sizes of the Deployment, by which its ReplicaSets are scaled in proportion. */
export function sizeAnnotations(desired: number, max: number): Annotations {
  return { [DESIRED_REPLICAS]: String(desired), [MAX_REPLICAS]: String(max) };
}
