import { DESIRED_REPLICAS, REVISION, REVISION_HISTORY } from '@/server/sandbox/controllers/argo/argo-rollout';
import { type ReplicaSet } from '@/server/sandbox/controllers/objects/workloads';

export type Annotations = Record<string, string>;

/** Never copied from a Rollout to its ReplicaSets. */
const SKIPPED = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  'notified.notifications.argoproj.io',
]);

/** 0 where there is none that can be read. */
export function revisionOf({ metadata }: Pick<ReplicaSet, 'metadata'>): number {
  const text = metadata.annotations?.[REVISION] ?? '';
  return /^\d+$/.test(text) ? Number(text) : 0;
}

/**
 * Annotations of the newest ReplicaSet. Whatever changes beside its number puts the number that it had into its
 * history, even when that stays the same: so histories repeat numbers, and name the present one.
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
