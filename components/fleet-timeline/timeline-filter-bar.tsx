'use client';

import { Chip } from '@/components/ui/chip';
import { Choice } from '@/components/ui/choice';
import { FilterFrame } from '@/components/ui/filter-frame';
import { MenuButton } from '@/components/ui/menu-button';
import { DebouncedSearchField } from '@/components/ui/search-field';
import { SelectorField } from '@/components/ui/selector-field';
import { Debounced } from '@/components/ui/debounced';
import {
  type ChangeAddress,
  hasFilters,
  noFilters,
  outcomeFilters,
  type TimelineAddress,
} from '@/components/fleet-timeline/timeline-address';
import { type RolloutSelection, type RowOrder } from '@/lib/timeline/fleet-rows';

/** Options of the menus. */
export interface TimelineOptions {
  namespaces: readonly string[];
  kinds: readonly { resource: string; kind: string }[];
  people: readonly string[];
}

const choices: readonly { value: RolloutSelection; label: string }[] = [
  { value: 'all', label: 'Active' },
  { value: 'began', label: 'Started' },
  { value: 'look', label: 'Failed or stalled' },
  { value: 'open', label: 'In progress' },
];

const orders: readonly { value: RowOrder; label: string }[] = [
  { value: 'trouble', label: 'severity' },
  { value: 'latest', label: 'newest' },
  { value: 'place', label: 'namespace' },
];

const outcomeLabels: Record<(typeof outcomeFilters)[number], string> = {
  open: 'in progress',
  completed: 'completed',
  rolledBack: 'rolled back',
  superseded: 'superseded',
  failed: 'failed',
  unknown: 'unknown',
};

/** Search, chips and menus; the address holds all of it. */
export function TimelineFilterBar({
  address,
  onChange,
  counts,
  options,
  selectorError,
  onLeaveSearch,
}: {
  address: TimelineAddress;
  onChange: ChangeAddress;
  counts: Readonly<Record<RolloutSelection, number>> | undefined;
  options: TimelineOptions;
  selectorError: string | null;
  onLeaveSearch: () => void;
}) {
  const { show, order } = address;
  return (
    <FilterFrame
      hasFilters={hasFilters(address)}
      onClear={() => onChange(noFilters)}
      search={
        <DebouncedSearchField
          label="Search the timeline"
          placeholder="Workload, image, person, cause"
          value={address.q}
          onChange={(q) => onChange({ q }, 'typing')}
          onLeave={onLeaveSearch}
        />
      }
    >
      {choices.map(({ value, label }) => (
        <Chip
          key={value}
          data-first-chip={value === 'all' ? '' : undefined}
          pressed={show === value}
          count={counts?.[value]}
          onClick={() => onChange({ show: show === value ? 'all' : value })}
        >
          {label}
        </Chip>
      ))}
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
        label="Changed by"
        value={address.actor}
        options={options.people.map((value) => ({ value, label: value }))}
        onChange={(actor) => onChange({ actor })}
      />
      <Choice
        label="Outcome"
        value={address.outcome}
        options={outcomeFilters.map((value) => ({ value, label: outcomeLabels[value] }))}
        onChange={(outcome) => onChange({ outcome: outcomeFilters.find((each) => each === outcome) ?? null })}
      />
      <Debounced
        value={address.labelSelector}
        onChange={(labelSelector) => onChange({ labelSelector }, 'typing')}
      >
        {(value, type) => <SelectorField value={value} error={selectorError} onChange={type} />}
      </Debounced>
      <MenuButton
        variant="chip"
        items={orders.map(({ value, label }) => ({
          label,
          checked: order === value,
          onSelect: () => onChange({ order: value }),
        }))}
      >
        Sort: {orders.find(({ value }) => value === order)?.label}
      </MenuButton>
    </FilterFrame>
  );
}
