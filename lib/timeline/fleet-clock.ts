import { wallTime } from '@/lib/format/time';

/** The wall clock of a zone as fields for date and time take it: `2026-09-17T14:00`. */
export function wallText(ms: number, timeZone: string): string {
  const { year, month, day, hour, minute } = wallTime(ms, timeZone);
  return `${pad(year, 4)}-${pad(month)}-${pad(day)}T${pad(hour)}:${pad(minute)}`;
}

/** The time in milliseconds since 1970 at which a clock in the zone shows that; null where the text says no time. */
export function fromWallText(text: string, timeZone: string): number | null {
  const asUtc = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(text) ? Date.parse(`${text}Z`) : NaN;
  if (Number.isNaN(asUtc)) return null;
  // Once with the offset of about then, and once more with that of the time itself.
  return asUtc - offsetMs(asUtc - offsetMs(asUtc, timeZone), timeZone);
}

function offsetMs(ms: number, timeZone: string): number {
  const { year, month, day, hour, minute, second } = wallTime(ms, timeZone);
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1_000) * 1_000;
}

function pad(value: number, digits = 2): string {
  return String(value).padStart(digits, '0');
}
