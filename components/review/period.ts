import { monthAbbreviations, pad } from '@/lib/format/time';
const DAY_MS = 86_400_000;
const WEEK = /^(\d{4})-W(\d{2})$/;
const DATES = /^(\d{4}-\d{2}-\d{2})\.\.(\d{4}-\d{2}-\d{2})$/;

const spans = { '7d': '7 days', '30d': '30 days', '90d': '90 days' } as const;

/**
 * A period as stored in the address: `7d`, `30d` or `90d` back from now, a week `2026-W47`, days
 * `2026-11-01..2026-11-15`.
 */
export interface ChosenPeriod {
  kind: keyof typeof spans | 'week' | 'dates';
  /** As the API expects them; `to` is absent where it is now. */
  from: string;
  to?: string;
  title: string;
  /** The period before it: "previous 7 days". */
  before: string;
}

/** The period of an address, in the viewer's time zone; seven days for an invalid one. */
export function readPeriod(text: string): ChosenPeriod {
  if (text === '7d' || text === '30d' || text === '90d') {
    return { kind: text, from: text, title: `Last ${spans[text]}`, before: `previous ${spans[text]}` };
  }
  const monday = mondayOf(text);
  if (monday !== null) {
    const days = formatDays(monday, addDays(monday, 6));
    return {
      kind: 'week',
      from: monday.toISOString(),
      to: addDays(monday, 7).toISOString(),
      title: `Week ${Number(text.slice(-2))}, ${days}`,
      before: 'previous week',
    };
  }
  const [, first = '', last = ''] = DATES.exec(text) ?? [];
  const from = dayOf(first);
  const to = dayOf(last);
  if (from === null || to === null || from > to) return readPeriod('7d');
  return {
    kind: 'dates',
    from: from.toISOString(),
    to: addDays(to, 1).toISOString(),
    title: formatDays(from, to),
    before: 'previous period',
  };
}

/** The week of a time, as stored in the address. Weeks begin on Monday (ISO 8601). */
export function weekOf(at: Date): string {
  const thursday = addDays(at, 3 - ((at.getDay() + 6) % 7));
  const first = new Date(thursday.getFullYear(), 0, 1);
  const days = Math.round((startOfDay(thursday).getTime() - first.getTime()) / DAY_MS);
  return `${thursday.getFullYear()}-W${pad(Math.floor(days / 7) + 1)}`;
}

/** The week that many weeks later; relative to the current week where the argument is not a week. */
export function shiftWeek(text: string, weeks: number, now = new Date()): string {
  return weekOf(addDays(mondayOf(text) ?? now, weeks * 7));
}

/** The first and last day of a period, for editing: `2026-11-01`. */
export function daysOfPeriod(period: ChosenPeriod, now = new Date()): { first: string; last: string } {
  if (period.to !== undefined) {
    const last = addDays(new Date(period.to), -1);
    return { first: isoDay(new Date(period.from)), last: isoDay(last) };
  }
  return { first: isoDay(addDays(now, 1 - Number.parseInt(period.from))), last: isoDay(now) };
}

function mondayOf(text: string): Date | null {
  const [, year, week] = WEEK.exec(text) ?? [];
  if (year === undefined || Number(week) < 1 || Number(week) > 53) return null;
  // January 4 is always in the first week.
  const fourth = new Date(Number(year), 0, 4);
  return addDays(fourth, 7 * (Number(week) - 1) - ((fourth.getDay() + 6) % 7));
}

function dayOf(text: string): Date | null {
  const [year = NaN, month = NaN, day = NaN] = text.split('-').map(Number);
  const date = new Date(year, month - 1, day);
  return isoDay(date) === text ? date : null;
}

/** By calendar: a day on which the clocks change has another length. */
function addDays(date: Date, days: number): Date {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days);
}

function startOfDay(date: Date): Date {
  return addDays(date, 0);
}

function isoDay(date: Date): string {
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

function formatDays(from: Date, to: Date): string {
  const month = (date: Date) => monthAbbreviations[date.getMonth()] ?? '';
  const year = to.getFullYear();
  if (from.getTime() === to.getTime()) return `${to.getDate()} ${month(to)} ${year}`;
  if (from.getFullYear() !== year) {
    return `${from.getDate()} ${month(from)} ${from.getFullYear()} – ${to.getDate()} ${month(to)} ${year}`;
  }
  return from.getMonth() === to.getMonth()
    ? `${from.getDate()}–${to.getDate()} ${month(to)} ${year}`
    : `${from.getDate()} ${month(from)} – ${to.getDate()} ${month(to)} ${year}`;
}
