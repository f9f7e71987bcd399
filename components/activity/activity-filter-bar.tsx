'use client';

import { Chip } from '@/components/ui/chip';
import { Choice } from '@/components/ui/choice';
import { ExactFilter } from '@/components/ui/exact-filter';
import { FilterFrame } from '@/components/ui/filter-frame';
import { PeriodChoice } from '@/components/ui/period-choice';
import { DebouncedSearchField } from '@/components/ui/search-field';
import { activityLabels } from '@/components/activity/action-text';
import { type ActivityAddress, type ChangeAddress, noFilters } from '@/components/activity/activity-address';
import { actionNames } from '@/lib/api/action-values';
import { hasFilters } from '@/components/shared/stated-filters';

const states = [
  { value: 'open', label: 'In progress' },
  { value: 'done', label: 'Done' },
  { value: 'failed', label: 'Failed' },
  { value: 'refused', label: 'Refused' },
] as const;

const actions = actionNames.map((value) => ({ value, label: activityLabels[value] }));

const exactFields = ['actor', 'namespace', 'resource', 'name', 'until'] as const;

/** Search, outcome, action and period. Other filters of the address can be removed here. */
export function ActivityFilterBar({
  address,
  onChange,
}: {
  address: ActivityAddress;
  onChange: ChangeAddress;
}) {
  const { state, action, since } = address;
  return (
    <FilterFrame
      hasFilters={hasFilters(address)}
      onClear={() => onChange(noFilters)}
      search={
        <DebouncedSearchField
          label="Search the activity"
          placeholder="Workload, person or reason"
          value={address.q}
          onChange={(q) => onChange({ q }, 'typing')}
        />
      }
    >
      <Chip pressed={state === null} onClick={() => onChange({ state: null })}>
        All
      </Chip>
      {states.map(({ value, label }) => (
        <Chip
          key={value}
          pressed={state === value}
          onClick={() => onChange({ state: state === value ? null : value })}
        >
          {label}
        </Chip>
      ))}
      <Choice
        label="Action"
        any="Any action"
        terse
        value={action}
        options={actions}
        onChange={(value) => onChange({ action: actionNames.find((each) => each === value) ?? null })}
      />
      <PeriodChoice value={since} onChange={(value) => onChange({ since: value })} />
      {exactFields.map((field) => (
        <ExactFilter
          key={field}
          label={field === 'actor' ? 'by' : field}
          value={address[field]}
          onRemove={() => onChange({ [field]: null })}
        />
      ))}
    </FilterFrame>
  );
}
