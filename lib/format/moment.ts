import { formatAge, formatDuration } from '@/lib/format/duration';
import { formatDay, formatRange, formatShort, type TimeFrame } from '@/lib/format/time';

/** A time as far as it is known, in milliseconds since 1970. */
export type Moment =
  | { kind: 'at'; ms: number }
  | { kind: 'between'; fromMs: number; toMs: number }
  /** Not later than. */
  | { kind: 'by'; ms: number }
  /** Not earlier than. */
  | { kind: 'since'; ms: number }
  | { kind: 'unknown' };

/** From a known time (RFC 3339), or else its bounds. */
export function momentOf(at: string | null, notBefore: string | null, notAfter: string | null): Moment {
  if (at !== null) return { kind: 'at', ms: Date.parse(at) };
  if (notBefore !== null && notAfter !== null) {
    return { kind: 'between', fromMs: Date.parse(notBefore), toMs: Date.parse(notAfter) };
  }
  if (notAfter !== null) return { kind: 'by', ms: Date.parse(notAfter) };
  return notBefore === null ? { kind: 'unknown' } : { kind: 'since', ms: Date.parse(notBefore) };
}

/** "14:06", "29–31 Aug", "by 14:06", "after 7 Sep, 11:20", "unknown"; `short` for a narrow column. */
export function formatMoment(moment: Moment, frame: TimeFrame, form: 'day' | 'short' = 'day'): string {
  const format = form === 'day' ? formatDay : formatShort;
  switch (moment.kind) {
    case 'at':
      return format(moment.ms, frame);
    case 'between':
      return formatRange(moment.fromMs, moment.toMs, frame);
    case 'by':
      return `by ${formatShort(moment.ms, frame)}`;
    case 'since':
      return `after ${formatShort(moment.ms, frame)}`;
    case 'unknown':
      return 'unknown';
    default:
      return moment satisfies never;
  }
}

/** The latest that it can have been; null where it has no bound. For sorting only, not for display. */
export function latestOf(moment: Moment): number | null {
  switch (moment.kind) {
    case 'at':
    case 'by':
      return moment.ms;
    case 'between':
      return moment.toMs;
    case 'since':
    case 'unknown':
      return null;
    default:
      return moment satisfies never;
  }
}

/** The duration between ends that are known within bounds: "6 d 4 h", "1 to 3 d", "up to 3 d". */
export function formatDurationRange(minMs: number, maxMs: number): string {
  if (maxMs - minMs < 1000) return formatDuration(maxMs);
  const max = formatAge(maxMs);
  if (minMs <= 0) return `up to ${max}`;
  const min = formatAge(minMs);
  if (min === max) return `about ${max}`;
  const [least, unit] = min.split(' ');
  return unit === max.split(' ')[1] ? `${least} to ${max}` : `${min} to ${max}`;
}
