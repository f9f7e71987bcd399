'use client';

import { useDeferredValue, useEffect, useState } from 'react';
import { Chip, ChipRow, ClearFilters } from '@/components/ui/chip';
import { Glyph } from '@/components/ui/glyph';
import { MenuButton, type MenuEntry } from '@/components/ui/menu-button';
import { SearchField } from '@/components/ui/search-field';
import { actionWords } from '@/components/activity/action-words';
import {
  type ActivityAddress,
  type ChangeAddress,
  hasFilters,
  noFilters,
} from '@/components/activity/activity-address';
import { actionNames } from '@/lib/workloads/plan';

/** Browsers refuse more than a few changes of the address a second. */
const TYPING_MS = 250;

const states = [
  { value: 'open', label: 'Under way' },
  { value: 'done', label: 'Done' },
  { value: 'failed', label: 'Failed' },
  { value: 'refused', label: 'Refused' },
] as const;

const spans = [
  { value: '1h', label: 'last hour' },
  { value: '24h', label: 'last 24 hours' },
  { value: '7d', label: 'last 7 days' },
  { value: '30d', label: 'last 30 days' },
];

const exact = ['actor', 'namespace', 'resource', 'name', 'until'] as const;

/** Search, how it went, what was done and when; what is more in the address can be taken away here. */
export function ActivityFilterBar({
  address,
  onChange,
}: {
  address: ActivityAddress;
  onChange: ChangeAddress;
}) {
  const { state, action, since } = address;
  return (
    <div
      role="search"
      className="flex flex-wrap items-start gap-x-3 gap-y-2 py-2.5 max-desk:flex-col max-desk:flex-nowrap max-desk:items-stretch"
    >
      <Search value={address.q} onChange={(q) => onChange({ q }, 'typing')} />
      <ChipRow label="Filters" className="min-w-0 flex-1 py-0.5">
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
        <MenuButton look="chip" pressed={action !== null} items={actionItems(action, onChange)}>
          {action === null ? 'Action' : actionWords[action]}
        </MenuButton>
        <MenuButton look="chip" pressed={since !== null} items={sinceItems(since, onChange)}>
          {since === null
            ? 'Period'
            : (spans.find(({ value }) => value === since)?.label ?? `since ${since}`)}
        </MenuButton>
        {exact.map((field) => {
          const value = address[field];
          const word = field === 'actor' ? 'by' : field;
          return value === null ? null : (
            <Chip
              key={field}
              pressed
              aria-label={`${word} ${value}: take this filter away`}
              onClick={() => onChange({ [field]: null })}
            >
              {word} {value} <Glyph name="close" size={10} />
            </Chip>
          );
        })}
        {hasFilters(address) && <ClearFilters onClear={() => onChange(noFilters)} />}
      </ChipRow>
    </div>
  );
}

function actionItems(action: ActivityAddress['action'], onChange: ChangeAddress): MenuEntry[] {
  return [
    { label: 'Any action', checked: action === null, onSelect: () => onChange({ action: null }) },
    'separator',
    ...actionNames.map((value) => ({
      label: actionWords[value],
      checked: value === action,
      onSelect: () => onChange({ action: value }),
    })),
  ];
}

function sinceItems(since: string | null, onChange: ChangeAddress): MenuEntry[] {
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
      label="Search the activity"
      placeholder="Workload, person or reason"
      value={typed}
      onChange={setTyped}
      className="desk:w-[268px] desk:flex-none"
    />
  );
}
