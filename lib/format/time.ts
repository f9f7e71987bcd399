const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
export const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

export const monthAbbreviations = monthNames.map((name) => name.slice(0, 3));

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** The reference time, and the zone of the text (IANA name). */
export interface TimeFrame {
  nowMs: number;
  timeZone: string;
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** A time on the wall clock of a zone. */
interface WallTime {
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
  /** 0 is Sunday. */
  weekday: number;
  hour: number;
  minute: number;
  second: number;
}

/** "14:06" today, "7 Sep, 11:20" within the year, "7 Sep 2025, 11:20". Reads alike alone and within a sentence. */
export function formatDay(ms: number, frame: TimeFrame): string {
  const at = wallTime(ms, frame.timeZone);
  const now = wallTime(frame.nowMs, frame.timeZone);
  const clock = hourMinute(at);
  if (dayNumber(now) === dayNumber(at)) return clock;
  return at.year === now.year ? `${dayMonth(at)}, ${clock}` : `${dayMonth(at)} ${at.year}, ${clock}`;
}

/** For a narrow column: the same without the clock of another year, "7 Sep 2025". */
export function formatShort(ms: number, frame: TimeFrame): string {
  const at = wallTime(ms, frame.timeZone);
  const now = wallTime(frame.nowMs, frame.timeZone);
  return at.year === now.year ? formatDay(ms, frame) : `${dayMonth(at)} ${at.year}`;
}

/** "Tue" */
export function formatWeekday(ms: number, timeZone: string): string {
  return days[wallTime(ms, timeZone).weekday]?.slice(0, 3) ?? '';
}

/** To the second: "14:28:10". */
export function formatClock(ms: number, timeZone: string): string {
  const at = wallTime(ms, timeZone);
  return `${hourMinute(at)}:${pad(at.second)}`;
}

/** The full form, with its zone: "Thursday 17 September 2026, 14:06:12, Europe/Berlin (UTC+02:00)". */
export function formatFull(ms: number, timeZone: string): string {
  const at = wallTime(ms, timeZone);
  const date = `${days[at.weekday]} ${at.day} ${monthNames[at.month - 1]} ${at.year}`;
  const offset = formatOffset(ms, timeZone);
  const zone = timeZone === 'UTC' ? 'UTC' : `${timeZone} (${offset})`;
  return `${date}, ${hourMinute(at)}:${pad(at.second)}, ${zone}`;
}

/** A time that is known only to lie between two others: "14:06–14:10", "29–31 Aug", "29 Aug – 3 Sep". */
export function formatRange(fromMs: number, toMs: number, frame: TimeFrame): string {
  const from = wallTime(fromMs, frame.timeZone);
  const to = wallTime(toMs, frame.timeZone);
  if (dayNumber(from) === dayNumber(to)) {
    const clocks =
      hourMinute(from) === hourMinute(to) ? hourMinute(from) : `${hourMinute(from)}–${hourMinute(to)}`;
    const today = dayNumber(from) === dayNumber(wallTime(frame.nowMs, frame.timeZone));
    return today ? clocks : `${dayMonth(from)}, ${clocks}`;
  }
  if (from.month === to.month && from.year === to.year) return `${from.day}–${dayMonth(to)}`;
  return `${dayMonth(from)} – ${dayMonth(to)}`;
}

/** "UTC+02:00", the offset at that time. */
export function formatOffset(ms: number, timeZone: string): string {
  const minutes = Math.round(offsetMs(ms, timeZone) / 60_000);
  const sign = minutes < 0 ? '−' : '+';
  return `UTC${sign}${pad(Math.floor(Math.abs(minutes) / 60))}:${pad(Math.abs(minutes) % 60)}`;
}

/** The wall clock of a zone at a time in milliseconds since 1970. */
export function wallTime(ms: number, timeZone: string): WallTime {
  const at = new Date(Math.floor(ms / 1000) * 1000 + offsetMs(ms, timeZone));
  return {
    year: at.getUTCFullYear(),
    month: at.getUTCMonth() + 1,
    day: at.getUTCDate(),
    weekday: at.getUTCDay(),
    hour: at.getUTCHours(),
    minute: at.getUTCMinutes(),
    second: at.getUTCSeconds(),
  };
}

interface Zone {
  formatter: Intl.DateTimeFormat;
  /** Offsets of whole days in UTC; null for a day on which it changes. */
  days: Map<number, number | null>;
}

/** Days of about eleven years; a list shows far fewer. */
const DAYS_MAX = 4_000;
/**
 * A call of the formatter costs a hundred times as much as adding an offset, and a long list needs one for
 * every row.
 */
const zones = new Map<string, Zone>();

/** The time at which the clock of a zone shows what a clock in UTC shows at `utcMs`. */
export function timeOnClock(utcMs: number, timeZone: string): number {
  // Once with an approximate offset, and again with that of the time itself.
  return utcMs - offsetMs(utcMs - offsetMs(utcMs, timeZone), timeZone);
}

/** The start of the next calendar day of a zone, in milliseconds since 1970. */
export function nextMidnight(ms: number, timeZone: string): number {
  const { year, month, day } = wallTime(ms, timeZone);
  const nextMs = timeOnClock(Date.UTC(year, month - 1, day + 1), timeZone);
  // A zone whose clock skips midnight begins that day at 1:00.
  return wallTime(nextMs, timeZone).day === day ? nextMs + HOUR_MS : nextMs;
}

/** The offset of a zone from UTC at that time. */
export function offsetMs(ms: number, timeZone: string): number {
  const { formatter, days } = zoneOf(timeZone);
  const day = Math.floor(ms / DAY_MS);
  let offset = days.get(day);
  if (offset === undefined) {
    const first = readOffset(day * DAY_MS, formatter);
    offset = first === readOffset((day + 1) * DAY_MS, formatter) ? first : null;
    if (days.size >= DAYS_MAX) days.clear();
    days.set(day, offset);
  }
  return offset ?? readOffset(ms, formatter);
}

function readOffset(ms: number, formatter: Intl.DateTimeFormat): number {
  const parts: Record<string, number> = {};
  for (const part of formatter.formatToParts(ms)) parts[part.type] = Number(part.value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1000) * 1000;
}

function zoneOf(timeZone: string): Zone {
  const known = zones.get(timeZone);
  if (known) return known;
  const formatter = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const zone: Zone = { formatter, days: new Map() };
  zones.set(timeZone, zone);
  return zone;
}

function dayNumber(at: WallTime): number {
  return Math.round(Date.UTC(at.year, at.month - 1, at.day) / DAY_MS);
}

function hourMinute(at: WallTime): string {
  return `${pad(at.hour)}:${pad(at.minute)}`;
}

function dayMonth(at: WallTime): string {
  return `${at.day} ${monthAbbreviations[at.month - 1]}`;
}

export function pad(value: number): string {
  return String(value).padStart(2, '0');
}
