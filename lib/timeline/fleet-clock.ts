import { dayText, readDay } from '@/lib/format/day-text';
import { wallTime } from '@/lib/format/time';

/** The wall clock of a zone as a field shows it: "17 Sep 2026, 14:00". */
export function wallText(ms: number, timeZone: string): string {
  const { hour, minute } = wallTime(ms, timeZone);
  return `${dayText(dayAt(ms, timeZone))}, ${pad(hour)}:${pad(minute)}`;
}

/**
 * The time in milliseconds since 1970 at which a clock in the zone shows that: "17 Sep 2026, 14:00", "2026-09-17 14:00",
 * or "14:00" of the day at `shownMs`. Null where the text says no time.
 */
export function fromWallText(text: string, timeZone: string, shownMs: number): number | null {
  const [, before = '', clock] =
    /^(?:(.*?)(?:,\s*|\s+|T))?((?:[01]?\d|2[0-3]):[0-5]\d)$/.exec(text.trim()) ?? [];
  const day = before === '' ? dayAt(shownMs, timeZone) : readDay(before);
  if (clock === undefined || day === null) return null;
  const asUtc = Date.parse(`${day}T${clock.padStart(5, '0')}Z`);
  // Once with the offset of about then, and once more with that of the time itself.
  return asUtc - offsetMs(asUtc - offsetMs(asUtc, timeZone), timeZone);
}

function dayAt(ms: number, timeZone: string): string {
  const { year, month, day } = wallTime(ms, timeZone);
  return `${pad(year, 4)}-${pad(month)}-${pad(day)}`;
}

function offsetMs(ms: number, timeZone: string): number {
  const { year, month, day, hour, minute, second } = wallTime(ms, timeZone);
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1_000) * 1_000;
}

function pad(value: number, digits = 2): string {
  return String(value).padStart(digits, '0');
}
