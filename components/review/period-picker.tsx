'use client';

import { IconButton } from '@/components/ui/button';
import { Segmented } from '@/components/ui/segmented';
import { useNow } from '@/components/ui/time';
import { TypedField } from '@/components/ui/typed-field';
import { type ChosenPeriod, daysOfPeriod, shiftWeek, weekOf } from '@/components/review/period';
import { formatCalendarDay, parseCalendarDay } from '@/lib/format/day-text';

const MINUTE_MS = 60_000;

const kinds = [
  { value: '7d', label: '7 d', name: 'last 7 days' },
  { value: '30d', label: '30 d', name: 'last 30 days' },
  { value: '90d', label: '90 d', name: 'last 90 days' },
  { value: 'week', label: 'Week' },
  { value: 'dates', label: 'Dates' },
] as const;

/** Chooses a period: a duration up to now, a calendar week, or days. */
export function PeriodPicker({
  text,
  period,
  onChange,
}: {
  /** As stored in the address. */
  text: string;
  period: ChosenPeriod;
  onChange: (text: string) => void;
}) {
  const now = new Date(useNow(MINUTE_MS));
  const days = daysOfPeriod(period, now);
  function choose(kind: ChosenPeriod['kind']) {
    if (kind === 'week') onChange(weekOf(now));
    else if (kind === 'dates') onChange(`${days.first}..${days.last}`);
    else onChange(kind);
  }
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 print:hidden">
      <Segmented label="Period" value={period.kind} onChange={choose} options={kinds} />
      {period.kind === 'week' && (
        <span className="inline-flex items-center gap-1">
          <IconButton
            glyph="chevron-left"
            label="Previous week"
            onClick={() => onChange(shiftWeek(text, -1))}
          />
          <IconButton
            glyph="chevron-right"
            label="Next week"
            disabled={text >= weekOf(now)}
            onClick={() => onChange(shiftWeek(text, 1))}
          />
        </span>
      )}
      {period.kind === 'dates' && (
        <span className="flex items-center gap-1.5 text-small max-desk:basis-full">
          <DayField
            label="First day"
            day={days.first}
            onChange={(day) => onChange(`${day}..${day > days.last ? day : days.last}`)}
          />
          <span aria-hidden="true">–</span>
          <DayField
            label="Last day"
            day={days.last}
            onChange={(day) => onChange(`${day < days.first ? day : days.first}..${day}`)}
          />
        </span>
      )}
    </div>
  );
}

function DayField({ label, day, onChange }: { label: string; day: string; onChange: (day: string) => void }) {
  return (
    <TypedField
      label={label}
      text={formatCalendarDay(day)}
      read={parseCalendarDay}
      example={formatCalendarDay(day)}
      onRead={onChange}
      className="w-[110px] max-desk:flex-1"
    />
  );
}
