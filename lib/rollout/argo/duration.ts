const UNIT_SECONDS: Readonly<Record<string, number>> = {
  h: 3_600,
  m: 60,
  s: 1,
  ms: 1e-3,
  us: 1e-6,
  µs: 1e-6,
  ns: 1e-9,
};

/**
 * Seconds of a pause as a plan writes it: a number, the text of one, or a Go duration (`1h30m`). Null where
 * it is none of them.
 * https://github.com/argoproj/argo-rollouts/blob/master/pkg/apis/rollouts/v1alpha1/types.go (DurationSeconds)
 */
export function durationSeconds(value: unknown): number | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return null;
  if (/^\d+$/.test(value)) return Number(value);
  if (!/^(\d+(\.\d+)?(h|ms|m|s|us|µs|ns))+$/.test(value)) return null;
  let seconds = 0;
  for (const [, amount = '', unit = ''] of value.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/g))
    seconds += Number(amount) * (UNIT_SECONDS[unit] ?? 0);
  return Math.floor(seconds);
}
