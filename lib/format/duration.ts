/** Lengths of time in milliseconds. */
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/**
 * A duration, in at most two units: "50 s", "2 min 05 s", "26 min", "5 h 20 min", "6 d 4 h", "21 d", "1 y 35
 * d". Rounds down; a negative one counts as 0.
 */
export function formatDuration(durationMs: number): string {
  const ms = Math.max(0, durationMs);
  if (ms > 0 && ms < SECOND) return 'under 1 s';
  if (ms < MINUTE) return `${count(ms, SECOND)} s`;
  if (ms < 10 * MINUTE) return formatTwoUnits(ms, MINUTE, 'min', SECOND, 's', 2);
  if (ms < HOUR) return `${count(ms, MINUTE)} min`;
  if (ms < DAY) return formatTwoUnits(ms, HOUR, 'h', MINUTE, 'min');
  if (ms < 14 * DAY) return formatTwoUnits(ms, DAY, 'd', HOUR, 'h');
  if (ms < YEAR) return `${count(ms, DAY)} d`;
  return formatTwoUnits(ms, YEAR, 'y', DAY, 'd');
}

/** An age, in one unit: "12 s", "26 min", "27 h", "6 d", "2 y". Rounds down. */
export function formatAge(ageMs: number): string {
  const ms = Math.max(0, ageMs);
  if (ms < MINUTE) return `${count(ms, SECOND)} s`;
  if (ms < HOUR) return `${count(ms, MINUTE)} min`;
  if (ms < 2 * DAY) return `${count(ms, HOUR)} h`;
  if (ms < 2 * YEAR) return `${count(ms, DAY)} d`;
  return `${count(ms, YEAR)} y`;
}

function count(ms: number, unit: number): number {
  return Math.floor(ms / unit);
}

function formatTwoUnits(
  ms: number,
  big: number,
  bigName: string,
  small: number,
  smallName: string,
  digits = 1,
): string {
  const rest = count(ms % big, small);
  const head = `${count(ms, big)} ${bigName}`;
  return rest === 0 ? head : `${head} ${String(rest).padStart(digits, '0')} ${smallName}`;
}
