import type { Json } from '@/lib/kube/json';

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
