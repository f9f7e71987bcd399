'use client';

import { useDeferredValue, useEffect, useState } from 'react';
import { Chip, ChipRow, ClearFilters } from '@/components/ui/chip';
import { Glyph } from '@/components/ui/glyph';
import { MenuButton, type MenuEntry } from '@/components/ui/menu-button';
import { SearchField } from '@/components/ui/search-field';
import { hasFilters, noFilters, type RecordAddress } from '@/components/records/record-address';

type Change = (change: Partial<RecordAddress>, step?: 'typing') => void;

/** Browsers refuse more than a few changes of the address a second. */
const TYPING_MS = 250;

/** Search, outcomes and period; what is more in the address can be taken away here. */
export function RecordFilterBar({ address, onChange }: { address: RecordAddress; onChange: Change }) {
  const { outcome, reviewed, since } = address;
  const toggle = (value: NonNullable<RecordAddress['outcome']>) =>
    onChange({ outcome: outcome === value ? null : value });
  return (
    <div
      role="search"
      className="flex flex-wrap items-start gap-x-3 gap-y-2 py-2.5 max-desk:flex-col max-desk:flex-nowrap max-desk:items-stretch"
    >
      <Search value={address.q} onChange={(q) => onChange({ q }, 'typing')} />
      <ChipRow label="Filters" className="min-w-0 flex-1 py-0.5">
        <Chip
          pressed={outcome === null && reviewed === null}
          onClick={() => onChange({ outcome: null, reviewed: null })}
        >
          All
        </Chip>
        <Chip pressed={outcome === 'open'} onClick={() => toggle('open')}>
          Under way
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
        <MenuButton look="chip" pressed={since !== null} items={sinceItems(since, onChange)}>
          {since === null
            ? 'Period'
            : (spans.find(({ value }) => value === since)?.label ?? `since ${since}`)}
        </MenuButton>
        {exact.map((field) => {
          const value = address[field];
          return value === null ? null : (
            <Chip
              key={field}
              pressed
              aria-label={`${field} ${value}: take this filter away`}
              onClick={() => onChange({ [field]: null })}
            >
              {field} {value} <Glyph name="close" size={10} />
            </Chip>
          );
        })}
        {hasFilters(address) && <ClearFilters onClear={() => onChange(noFilters)} />}
      </ChipRow>
    </div>
  );
}

const exact = ['namespace', 'resource', 'name', 'actor', 'image', 'until'] as const;

const spans = [
  { value: '1h', label: 'last hour' },
  { value: '24h', label: 'last 24 hours' },
  { value: '7d', label: 'last 7 days' },
  { value: '30d', label: 'last 30 days' },
];

function sinceItems(since: string | null, onChange: Change): MenuEntry[] {
  return [
    { label: 'Any time', checked: since === null, onSelect: () => onChange({ since: null }) },
    'separator',
    ...spans.map(({ value, label }) => ({
      label,
      checked: since === value,
      onSelect: () => onChange({ since: value }),
    })),
  ];
}

/** What is typed shows at once and goes into the address once the typing rests. */
function Search({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  if (known !== value) {
    setKnown(value);
    setTyped(value);
  }
  const settled = useDeferredValue(typed);
  useEffect(() => {
    if (settled === value) return;
    const timer = setTimeout(() => onChange(settled), TYPING_MS);
    return () => clearTimeout(timer);
  }, [settled, value, onChange]);
  return (
    <SearchField
      label="Search the records"
      placeholder="Workload, image, person, cause"
      value={typed}
      onChange={setTyped}
      className="desk:w-[268px] desk:flex-none"
    />
  );
}
