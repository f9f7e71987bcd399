import { AppError } from '@/lib/errors';

const DURATION = /^(\d{1,6})(m|h|d)$/;
const DURATION_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * A time of a query in milliseconds since 1970: RFC 3339, a day (its beginning in UTC), or a duration back from now.
 * Throws `bad_request` that names `field`.
 */
export function parseMoment(field: string, text: string, nowMs: number): number {
  const backMs = parseDuration(text);
  if (backMs !== null) return nowMs - backMs;
  const time = /^\d{4}-\d{2}-\d{2}(T|$)/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(time)) return time;
  throw new AppError(
    'bad_request',
    `${field}: ${JSON.stringify(text)} is neither a time such as 2026-01-31T14:00:00Z nor a duration such as 30m, 1h or 7d.`,
    { field },
  );
}

/** `30m`, `24h` or `7d` in milliseconds; null for anything else. */
export function parseDuration(text: string): number | null {
  const [, amount, unit = ''] = DURATION.exec(text) ?? [];
  return amount === undefined ? null : Number(amount) * (DURATION_MS[unit] ?? 0);
}
