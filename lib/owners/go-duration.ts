import { HOUR, MINUTE, SECOND } from '@/lib/format/duration';

const unitsMs: Readonly<Record<string, number>> = {
  h: HOUR,
  m: MINUTE,
  s: SECOND,
  ms: 1,
  us: 1e-3,
  µs: 1e-3,
  ns: 1e-6,
};

/** "1h30m0s" in milliseconds; null where the text is no duration of Go. https://pkg.go.dev/time#ParseDuration */
export function parseGoDuration(text: string): number | null {
  if (!/^(\d+(\.\d+)?(h|ms|m|s|us|µs|ns)){1,8}$/.test(text)) return null;
  let sum = 0;
  for (const [, amount, unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/g))
    sum += Number(amount) * (unitsMs[unit] ?? 0);
  return sum;
}
