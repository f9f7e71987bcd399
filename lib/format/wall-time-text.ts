import { formatCalendarDay, parseCalendarDay } from '@/lib/format/day-text';
import { DAY } from '@/lib/format/duration';
import { timeOnClock, wallTime } from '@/lib/format/time';

/** The wall clock of a zone in a field: "17 Sep 2026, 14:00". */
export function formatWallTime(ms: number, timeZone: string): string {
  const { hour, minute } = wallTime(ms, timeZone);
  return `${formatCalendarDay(dayAt(ms, timeZone))}, ${pad(hour)}:${pad(minute)}`;
}

const CLOCK = /^(?:(.*?)(?:,\s*|\s+|T))?((?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?)$/;
/** With its own zone: "2026-09-17T14:00:00Z", as logs and alerts write it. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/i;

/**
 * The time in milliseconds since 1970 at which a clock in the zone shows that: "17 Sep 2026, 14:00",
 * "2026-09-17 14:00", "17 Sep 14:00" of the year at `shownMs`, or "14:00" of its day. What is not stated is taken from
 * a day or a year earlier where the time were after `latestMs`. Null where the text is no time.
 */
export function parseWallTime(
  text: string,
  timeZone: string,
  shownMs: number,
  latestMs = Infinity,
): number | null {
  const typed = text.trim();
  if (INSTANT.test(typed)) return Date.parse(typed.toUpperCase()) || null;
  const [, dayPart = '', clock] = CLOCK.exec(typed) ?? [];
  if (clock === undefined) return null;
  const at = (day: string | null) =>
    day === null
      ? null
      : timeOnClock(Date.parse(`${day}T${clock.padStart(clock.length > 5 ? 8 : 5, '0')}Z`), timeZone);
  if (dayPart === '')
    return latestOf(at(dayAt(shownMs, timeZone)), at(dayAt(shownMs - DAY, timeZone)), latestMs);
  const day = parseCalendarDay(dayPart);
  if (day !== null) return at(day);
  const { year } = wallTime(shownMs, timeZone);
  return latestOf(
    at(parseCalendarDay(`${dayPart} ${year}`)),
    at(parseCalendarDay(`${dayPart} ${year - 1}`)),
    latestMs,
  );
}

function latestOf(ms: number | null, earlierMs: number | null, latestMs: number): number | null {
  return ms !== null && ms > latestMs ? earlierMs : ms;
}

function dayAt(ms: number, timeZone: string): string {
  const { year, month, day } = wallTime(ms, timeZone);
  return `${pad(year, 4)}-${pad(month)}-${pad(day)}`;
}

function pad(value: number, digits = 2): string {
  return String(value).padStart(digits, '0');
}
