'use client';

import { Chip } from '@/components/ui/chip';
import { Choice } from '@/components/ui/choice';
import { FilterFrame } from '@/components/ui/filter-frame';
import { MenuButton } from '@/components/ui/menu-button';
import { SettledSearchField } from '@/components/ui/search-field';
import { SelectorField } from '@/components/ui/selector-field';
import { Settled } from '@/components/ui/settled';
import {
  type ChangeAddress,
  hasFilters,
  noFilters,
  outcomeFilters,
  type TimelineAddress,
} from '@/components/fleet-timeline/timeline-address';
import { type RolloutChoice, type RowOrder } from '@/lib/timeline/fleet-rows';

/** What the menus offer. */
export interface TimelineOptions {
  namespaces: readonly string[];
  kinds: readonly { resource: string; kind: string }[];
  people: readonly string[];
}

const choices: readonly { value: RolloutChoice; label: string }[] = [
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

/** Search, chips and menus; all of it is in the address. */
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
  counts: Readonly<Record<RolloutChoice, number>> | undefined;
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
        <SettledSearchField
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
      <Settled
        value={address.labelSelector}
        onSettle={(labelSelector) => onChange({ labelSelector }, 'typing')}
      >
        {(value, type) => <SelectorField value={value} error={selectorError} onChange={type} />}
      </Settled>
      <MenuButton
        look="chip"
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
