import { wallTime, monthAbbreviations } from '@/lib/format/time';
import { type Panel } from '@/lib/timeline/axis';

export interface Tick {
  ms: number;
  label: string;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

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
 * Ticks of a panel at round times of the zone's wall clock, at least `distanceMin` pixels apart. The first
 * one of a month shows its name.
 */
export function ticksOf(panel: Panel, timeZone: string, distanceMin: number): Tick[] {
  const step = stepFor(panel, distanceMin);
  const ticks: Tick[] = [];
  let lastMonth = 0;
  for (const ms of roundTimes(panel, step, timeZone)) {
    const wall = wallTime(ms, timeZone);
    const namesMonth = wall.month !== lastMonth;
    lastMonth = wall.month;
    ticks.push({ ms, label: labelOf(wall, step, namesMonth) });
  }
  return ticks;
}

function stepFor(panel: Panel, distanceMin: number): number {
  const msPerPixel = (panel.toMs - panel.fromMs) / Math.max(1, panel.right - panel.left);
  return steps.find((step) => step / msPerPixel >= distanceMin) ?? 364 * DAY;
}

/** The offset at that time applies, so that a day begins at midnight in summer and winter. */
function roundTimes(panel: Panel, step: number, timeZone: string): number[] {
  const origin = step >= DAY ? MONDAY : 0;
  const first = Math.ceil((panel.fromMs + offset(panel.fromMs, timeZone) - origin) / step);
  const last = Math.floor((panel.toMs + offset(panel.toMs, timeZone) - origin) / step);
  const times: number[] = [];
  for (let count = first; count <= last; count += 1) {
    const wall = count * step + origin;
    const ms = wall - offset(wall - offset(wall, timeZone), timeZone);
    if (ms > panel.fromMs && ms < panel.toMs) times.push(ms);
  }
  return times;
}

function offset(ms: number, timeZone: string): number {
  const at = wallTime(ms, timeZone);
  return (
    Date.UTC(at.year, at.month - 1, at.day, at.hour, at.minute, at.second) - Math.floor(ms / 1000) * 1000
  );
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

function pad(value: number): string {
  return String(value).padStart(2, '0');
}
