import { DESIRED_REPLICAS, REVISION, REVISION_HISTORY } from '@/sandbox/controllers/argo/argo-rollout';
import { type Annotations } from '@/sandbox/controllers/deployment/annotations';
import { type ReplicaSet } from '@/sandbox/controllers/objects/workloads';

/** Never copied from a Rollout to its ReplicaSets. */
const SKIPPED = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  'notified.notifications.argoproj.io',
]);

/** 0 without a readable number. */
export function revisionOf({ metadata }: Pick<ReplicaSet, 'metadata'>): number {
  const text = metadata.annotations?.[REVISION] ?? '';
  return /^\d+$/.test(text) ? Number(text) : 0;
}

/**
 * Annotations of the newest ReplicaSet. Any change apart from its revision number adds the former number to
 * its history, even when the number stays the same: so histories repeat numbers, and include the current one.
 * https://github.com/argoproj/argo-rollouts/blob/master/utils/annotations/annotations.go (SetNewReplicaSetAnnotations)
 */
export function newestAnnotations(
  present: Annotations | undefined,
  rollout: Annotations | undefined,
  wanted: number,
): Annotations {
  const before = present?.[REVISION];
  if (before !== undefined && before !== '' && !/^\d+$/.test(before)) return { ...present };
  const copied = Object.entries(rollout ?? {}).filter(([name]) => !SKIPPED.has(name));
  const isNumbered = Number(before ?? 0) < wanted;
  const result: Annotations = { ...present, ...Object.fromEntries(copied) };
  if (isNumbered) result[REVISION] = String(wanted);
  const hasChanged = isNumbered || copied.some(([name, value]) => present?.[name] !== value);
  if (before === undefined || !hasChanged) return result;
  const history = present?.[REVISION_HISTORY];
  return { ...result, [REVISION_HISTORY]: history ? `${history},${before}` : before };
}
