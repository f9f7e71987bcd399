import { formatCalendarDay, parseCalendarDay } from '@/lib/format/day-text';
import { timeOnClock, wallTime } from '@/lib/format/time';

/** The wall clock of a zone in a field: "17 Sep 2026, 14:00". */
export function formatWallTime(ms: number, timeZone: string): string {
  const { hour, minute } = wallTime(ms, timeZone);
  return `${formatCalendarDay(dayAt(ms, timeZone))}, ${pad(hour)}:${pad(minute)}`;
}

/**
 * The time in milliseconds since 1970 at which a clock in the zone shows that: "17 Sep 2026, 14:00",
 * "2026-09-17 14:00", or "14:00" of the day at `shownMs`. Null where the text is no time.
 */
export function parseWallTime(text: string, timeZone: string, shownMs: number): number | null {
  const [, dayPart = '', clock] =
    /^(?:(.*?)(?:,\s*|\s+|T))?((?:[01]?\d|2[0-3]):[0-5]\d)$/.exec(text.trim()) ?? [];
  const day = dayPart === '' ? dayAt(shownMs, timeZone) : parseCalendarDay(dayPart);
  if (clock === undefined || day === null) return null;
  return timeOnClock(Date.parse(`${day}T${clock.padStart(5, '0')}Z`), timeZone);
}

function dayAt(ms: number, timeZone: string): string {
  const { year, month, day } = wallTime(ms, timeZone);
  return `${pad(year, 4)}-${pad(month)}-${pad(day)}`;
}

function pad(value: number, digits = 2): string {
  return String(value).padStart(digits, '0');
}
