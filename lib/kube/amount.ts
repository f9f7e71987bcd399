import type { Json, JsonObject } from '@/lib/kube/json';

/** An amount of pods as a strategy states it: "25%" or "3". */
export function formatAmount(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** An integer, or a percentage of `total`, rounded as requested; anything else counts as 0. */
export function resolveAmount(value: Json, total: number, round: (value: number) => number): number {
  if (typeof value === 'number') return value;
  const percent = typeof value === 'string' ? /^(\d+)%$/.exec(value)?.[1] : undefined;
  return percent === undefined ? 0 : round((Number(percent) * total) / 100);
}

/** How many pods above and below the desired number a rolling update may run. */
export interface RollingLimits {
  surge: number;
  unavailable: number;
}

/**
 * `maxSurge` rounds up and `maxUnavailable` down; with both 0 nothing could move, so one pod may then be missing.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/util/deployment_util.go
 * (ResolveFenceposts)
 */
export function resolveLimits({ maxSurge, maxUnavailable }: JsonObject, desired: number): RollingLimits {
  const surge = resolveAmount(maxSurge ?? '25%', desired, Math.ceil);
  const unavailable = resolveAmount(maxUnavailable ?? '25%', desired, Math.floor);
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}
