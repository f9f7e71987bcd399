import { monthAbbreviations, monthNames } from '@/lib/format/time';

/** A calendar day, `2026-11-22`, as it is shown and typed everywhere: "22 Nov 2026". */
export function formatCalendarDay(day: string): string {
  const [year = '', month = '', date = ''] = day.split('-');
  return `${Number(date)} ${monthAbbreviations[Number(month) - 1]} ${year}`;
}

/** The typed day, "22 Nov 2026", "22 november 2026" or "2026-11-22"; null for anything else. */
export function parseCalendarDay(text: string): string | null {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text.trim());
  if (parts) return dayOf(Number(parts[1]), Number(parts[2]), Number(parts[3]));
  const [, date, monthText = '', year] = /^(\d{1,2})\s+(\p{L}{3,})\s+(\d{4})$/u.exec(text.trim()) ?? [];
  const month = monthNames.findIndex((name) => name.toLowerCase().startsWith(monthText.toLowerCase()));
  return year === undefined || month === -1 ? null : dayOf(Number(year), month + 1, Number(date));
}

/** Null for days that the calendar does not have: 31 February. */
function dayOf(year: number, month: number, date: number): string | null {
  const at = new Date(Date.UTC(year, month - 1, date));
  if (at.getUTCMonth() !== month - 1 || at.getUTCDate() !== date) return null;
  return at.toISOString().slice(0, 10);
}
