'use client';

import { Choice, type ChoiceOption } from '@/components/ui/choice';

const spans: readonly ChoiceOption[] = [
  { value: '1h', label: 'last hour' },
  { value: '24h', label: 'last 24 hours' },
  { value: '7d', label: 'last 7 days' },
  { value: '30d', label: 'last 30 days' },
];

/** A start time: a duration back from now (`7d`). Any other duration or time in the address is an option too. */
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

/** The durations, plus the current value where it is none of them. */
export function sinceOptions(
  options: readonly ChoiceOption[],
  value: string | null,
): readonly ChoiceOption[] {
  if (value === null || options.some((span) => span.value === value)) return options;
  return [...options, { value, label: `since ${value}` }];
}
