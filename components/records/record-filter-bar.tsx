'use client';

import { Chip } from '@/components/ui/chip';
import { ExactFilter } from '@/components/ui/exact-filter';
import { FilterFrame } from '@/components/ui/filter-frame';
import { PeriodChoice } from '@/components/ui/period-choice';
import { DebouncedSearchField } from '@/components/ui/search-field';
import { noFilters, type RecordAddress } from '@/components/records/record-address';
import { hasFilters } from '@/components/shared/stated-filters';

type Change = (change: Partial<RecordAddress>, step?: 'typing') => void;

/** Search, outcomes and period. Other filters of the address can be removed here. */
export function RecordFilterBar({ address, onChange }: { address: RecordAddress; onChange: Change }) {
  const { outcome, reviewed, since } = address;
  const toggle = (value: NonNullable<RecordAddress['outcome']>) =>
    onChange({ outcome: outcome === value ? null : value });
  return (
    <FilterFrame
      hasFilters={hasFilters(address)}
      onClear={() => onChange(noFilters)}
      search={
        <DebouncedSearchField
          label="Search the records"
          placeholder="Workload, image, person, cause"
          value={address.q}
          onChange={(q) => onChange({ q }, 'typing')}
        />
      }
    >
      <Chip
        pressed={outcome === null && reviewed === null}
        onClick={() => onChange({ outcome: null, reviewed: null })}
      >
        All
      </Chip>
      <Chip pressed={outcome === 'open'} onClick={() => toggle('open')}>
        In progress
      </Chip>
      <Chip pressed={outcome === 'failed'} onClick={() => toggle('failed')}>
        Failed
      </Chip>
      <Chip pressed={outcome === 'rolledBack'} onClick={() => toggle('rolledBack')}>
        Rolled back
      </Chip>
      <Chip pressed={outcome === 'completed'} onClick={() => toggle('completed')}>
        Completed
      </Chip>
      <Chip
        pressed={reviewed === 'false'}
        onClick={() => onChange({ reviewed: reviewed === 'false' ? null : 'false' })}
      >
        Not reviewed
      </Chip>
      <PeriodChoice value={since} onChange={(value) => onChange({ since: value })} />
      {exactFields.map((field) => (
        <ExactFilter
          key={field}
          label={field}
          value={address[field]}
          onRemove={() => onChange({ [field]: null })}
        />
      ))}
    </FilterFrame>
  );
}

const exactFields = ['namespace', 'resource', 'name', 'actor', 'image', 'until'] as const;
