'use client';

import { useState } from 'react';
import { Chip, ChipRow, ClearFilters } from '@/components/ui/chip';
import { Input } from '@/components/ui/input';
import { MenuButton, type MenuEntry } from '@/components/ui/menu-button';
import { SearchField } from '@/components/ui/search-field';
import { type FleetAddress, hasFilters, noFilters } from '@/components/fleet/fleet-address';
import { type FleetView } from '@/components/fleet/fleet-view';

/** What the menus offer. */
export interface FleetOptions {
  namespaces: readonly string[];
  kinds: readonly { resource: string; kind: string }[];
  tools: readonly string[];
}

export type ChangeAddress = (change: Partial<FleetAddress>, step?: 'typing') => void;

/** Search, chips and menus; all of it is in the address. */
export function FilterBar({
  address,
  onChange,
  counts,
  options,
  selectorError,
  onLeaveSearch,
}: {
  address: FleetAddress;
  onChange: ChangeAddress;
  counts: FleetView['counts'] | undefined;
  options: FleetOptions;
  selectorError: string | null;
  onLeaveSearch: () => void;
}) {
  const { group, changedSince, severalLive } = address;
  const isHour = changedSince === '1h';
  return (
    <div
      role="search"
      className="flex flex-wrap items-start gap-x-3 gap-y-2 py-2.5 max-desk:flex-col max-desk:flex-nowrap max-desk:items-stretch"
    >
      <SearchField
        label="Search the fleet"
        placeholder="Name, image, person or cause"
        value={address.q}
        onChange={(q) => onChange({ q }, 'typing')}
        onLeave={onLeaveSearch}
        className="desk:w-[268px] desk:flex-none"
      />
      <ChipRow label="Filters" className="min-w-0 flex-1 py-0.5">
        <Chip
          data-first-chip=""
          pressed={group === null && changedSince === null && !severalLive}
          count={counts?.all}
          onClick={() => onChange({ group: null, changedSince: null, severalLive: false })}
        >
          All
        </Chip>
        <Chip
          pressed={group === 'look'}
          count={counts?.look}
          onClick={() => onChange({ group: group === 'look' ? null : 'look' })}
        >
          Needs a look
        </Chip>
        <Chip
          pressed={group === 'moving'}
          count={counts?.moving}
          onClick={() => onChange({ group: group === 'moving' ? null : 'moving' })}
        >
          On its way
        </Chip>
        <Chip
          pressed={isHour}
          count={counts?.changed}
          onClick={() => onChange({ changedSince: isHour ? null : '1h' })}
        >
          Changed in the last hour
        </Chip>
        <Chip
          pressed={severalLive}
          count={counts?.severalLive}
          onClick={() => onChange({ severalLive: !severalLive })}
        >
          More than one live revision
        </Chip>
        <Choice
          label="Namespace"
          value={address.namespace}
          options={options.namespaces.map((value) => ({ value, label: value }))}
          onChange={(namespace) => onChange({ namespace })}
        />
        <Choice
          label="Kind"
          value={address.resource}
          options={options.kinds.map(({ resource, kind }) => ({ value: resource, label: kind }))}
          onChange={(resource) => onChange({ resource })}
        />
        <Choice
          label="With"
          value={address.tool}
          options={options.tools.map((value) => ({ value, label: value }))}
          onChange={(tool) => onChange({ tool })}
        />
        <Choice
          label="Changed"
          value={isHour ? null : changedSince}
          options={sinceOptions(isHour ? null : changedSince)}
          onChange={(value) => onChange({ changedSince: value })}
        />
        <SelectorField
          value={address.labelSelector}
          error={selectorError}
          onChange={(labelSelector) => onChange({ labelSelector }, 'typing')}
        />
        {hasFilters(address) && <ClearFilters onClear={() => onChange(noFilters)} />}
      </ChipRow>
    </div>
  );
}

const spans = [
  { value: '24h', label: 'in 24 hours' },
  { value: '7d', label: 'in 7 days' },
  { value: '30d', label: 'in 30 days' },
];

/** Any other span or time that the address holds is shown too. */
function sinceOptions(value: string | null): { value: string; label: string }[] {
  const known = value === null || spans.some((span) => span.value === value);
  return known ? spans : [...spans, { value, label: `since ${value}` }];
}

function Choice({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string | null;
  options: readonly { value: string; label: string }[];
  onChange: (value: string | null) => void;
}) {
  const chosen = options.find((option) => option.value === value);
  const items: MenuEntry[] = [
    { label: 'Any', checked: value === null, onSelect: () => onChange(null) },
    'separator',
    ...options.map((option) => ({
      label: option.label,
      checked: option.value === value,
      onSelect: () => onChange(option.value === value ? null : option.value),
    })),
  ];
  return (
    <MenuButton look="chip" pressed={value !== null} items={items}>
      {value === null ? label : `${label} ${chosen?.label ?? value}`}
    </MenuButton>
  );
}

function SelectorField({
  value,
  error,
  onChange,
}: {
  value: string;
  error: string | null;
  onChange: (value: string) => void;
}) {
  const [open, setOpen] = useState(false);
  if (!open && value === '') {
    return (
      <Chip pressed={false} onClick={() => setOpen(true)}>
        Labels
      </Chip>
    );
  }
  return (
    <span className="inline-flex flex-none items-center gap-2">
      <Input
        aria-label="Label selector"
        aria-invalid={error !== null || undefined}
        placeholder="app=cart,tier in (web)"
        autoFocus={open && value === ''}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onBlur={() => setOpen(false)}
        onKeyDown={(event) => event.key === 'Escape' && onChange('')}
        className="h-[26px]! w-[200px] rounded-full! literal max-desk:h-[34px]!"
      />
      {error !== null && <span className="text-small text-stuck">{error}</span>}
    </span>
  );
}
