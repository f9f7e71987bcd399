import { DAY, HOUR, MINUTE, SECOND } from '@/lib/format/duration';
import { monthAbbreviations, offsetMs, timeOnClock, wallTime, pad } from '@/lib/format/time';
import { positionOf, type TimeScale } from '@/lib/timeline/scale';

export interface Tick {
  ms: number;
  x: number;
  label: string;
}

/** Usual distances in time. Weeks begin on Monday. */
const steps = [
  15 * SECOND,
  30 * SECOND,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  20 * MINUTE,
  30 * MINUTE,
  HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  7 * DAY,
  14 * DAY,
  28 * DAY,
  91 * DAY,
  364 * DAY,
];

/** The first Monday after the start of 1970: weeks are counted from it. */
const MONDAY = 4 * DAY;

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/**
 * Ticks at round times of the zone's wall clock, at least `distanceMin` pixels apart. The first one of a month shows
 * its name.
 */
export function ticksOf(scale: TimeScale, timeZone: string, distanceMin: number): Tick[] {
  const step = stepFor(scale, distanceMin);
  const ticks: Tick[] = [];
  let lastMonth = 0;
  for (const ms of roundTimes(scale, step, timeZone)) {
    const wall = wallTime(ms, timeZone);
    const namesMonth = wall.month !== lastMonth;
    lastMonth = wall.month;
    ticks.push({ ms, x: positionOf(scale, ms), label: labelOf(wall, step, namesMonth) });
  }
  return ticks;
}

function stepFor({ fromMs, toMs, left, right }: TimeScale, distanceMin: number): number {
  const msPerPixel = (toMs - fromMs) / Math.max(1, right - left);
  return steps.find((step) => step / msPerPixel >= distanceMin) ?? 364 * DAY;
}

/** The offset at that time applies, so that a day begins at midnight in summer and winter. */
function roundTimes({ fromMs, toMs }: TimeScale, step: number, timeZone: string): number[] {
  const origin = step >= DAY ? MONDAY : 0;
  const first = Math.ceil((fromMs + offsetMs(fromMs, timeZone) - origin) / step);
  const last = Math.floor((toMs + offsetMs(toMs, timeZone) - origin) / step);
  const times: number[] = [];
  for (let count = first; count <= last; count += 1) {
    const ms = timeOnClock(count * step + origin, timeZone);
    if (ms > fromMs && ms < toMs) times.push(ms);
  }
  return times;
}

function labelOf(wall: ReturnType<typeof wallTime>, step: number, namesMonth: boolean): string {
  const clock = `${pad(wall.hour)}:${pad(wall.minute)}`;
  if (step < MINUTE) return `${clock}:${pad(wall.second)}`;
  if (step < 12 * HOUR) return clock;
  const month = monthAbbreviations[wall.month - 1] ?? '';
  if (step >= 91 * DAY) return `${month} ${wall.year}`;
  const day = step > 14 * DAY ? `${wall.day}` : `${weekdays[wall.weekday]} ${wall.day}`;
  if (step === 12 * HOUR && wall.hour !== 0) return clock;
  return namesMonth ? `${day} ${month}` : day;
}
