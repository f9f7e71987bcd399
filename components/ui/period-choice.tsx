'use client';

import { Choice, type ChoiceOption } from '@/components/ui/choice';

const spans: readonly ChoiceOption[] = [
  { value: '1h', label: 'last hour' },
  { value: '24h', label: 'last 24 hours' },
  { value: '7d', label: 'last 7 days' },
  { value: '30d', label: 'last 30 days' },
];

/** Since when: a duration back from now (`7d`); any other one, or a time, that the address holds is shown too. */
export function PeriodChoice({
  value,
  onChange,
}: {
  value: string | null;
  onChange: (value: string | null) => void;
}) {
  return (
    <Choice
      label="Period"
      any="Any time"
      terse
      value={value}
      options={sinceOptions(spans, value)}
      onChange={onChange}
    />
  );
}

/** The spans, and what is in force where that is none of them. */
export function sinceOptions(known: readonly ChoiceOption[], value: string | null): readonly ChoiceOption[] {
  if (value === null || known.some((span) => span.value === value)) return known;
  return [...known, { value, label: `since ${value}` }];
}
