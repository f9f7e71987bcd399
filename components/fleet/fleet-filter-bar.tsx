'use client';

import { formatNamespace } from '@/lib/view/format-namespace';
import { Chip } from '@/components/ui/chip';
import { Choice } from '@/components/ui/choice';
import { FilterFrame } from '@/components/ui/filter-frame';
import { sinceOptions } from '@/components/ui/period-choice';
import { SearchField } from '@/components/ui/search-field';
import { SelectorField } from '@/components/ui/selector-field';
import { type FleetAddress, hasFilters, noFilters } from '@/components/fleet/fleet-address';
import { type FleetView } from '@/components/fleet/fleet-view';

/** Options of the menus. */
export interface FleetOptions {
  namespaces: readonly string[];
  kinds: readonly { resource: string; kind: string }[];
  tools: readonly string[];
}

export type ChangeAddress = (change: Partial<FleetAddress>, step?: 'typing') => void;

/** Search, chips and menus; the address holds all of it. */
export function FleetFilterBar({
  address,
  onChange,
  counts,
  options,
  selectorError,
  onLeaveSearch,
}: {
  address: FleetAddress;
  onChange: ChangeAddress;
  /**
   * Counts after the other filters; undefined where these match nothing, because zeros would read as counts of the
   * fleet.
   */
  counts: FleetView['counts'] | undefined;
  options: FleetOptions;
  selectorError: string | null;
  onLeaveSearch: () => void;
}) {
  const { group, changedSince, severalLive } = address;
  const isHour = changedSince === '1h';
  return (
    <FilterFrame
      hasFilters={hasFilters(address)}
      onClear={() => onChange(noFilters)}
      search={
        <SearchField
          label="Search the fleet"
          placeholder="Name, image, person or cause"
          value={address.q}
          onChange={(q) => onChange({ q }, 'typing')}
          onLeave={onLeaveSearch}
        />
      }
    >
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
        Needs attention
      </Chip>
      <Chip
        pressed={group === 'moving'}
        count={counts?.moving}
        onClick={() => onChange({ group: group === 'moving' ? null : 'moving' })}
      >
        In progress
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
        Mixed revisions
      </Chip>
      <Choice
        label="Namespace"
        value={address.namespace}
        options={options.namespaces.map((value) => ({ value, label: formatNamespace(value) }))}
        onChange={(namespace) => onChange({ namespace })}
      />
      <Choice
        label="Kind"
        value={address.resource}
        options={options.kinds.map(({ resource, kind }) => ({ value: resource, label: kind }))}
        onChange={(resource) => onChange({ resource })}
      />
      <Choice
        label="Tool"
        value={address.tool}
        options={options.tools.map((value) => ({ value, label: value }))}
        onChange={(tool) => onChange({ tool })}
      />
      <Choice
        label="Changed"
        value={isHour ? null : changedSince}
        options={sinceOptions(spans, isHour ? null : changedSince)}
        onChange={(value) => onChange({ changedSince: value })}
      />
      <SelectorField
        value={address.labelSelector}
        error={selectorError}
        onChange={(labelSelector) => onChange({ labelSelector }, 'typing')}
      />
    </FilterFrame>
  );
}

const spans = [
  { value: '24h', label: 'in the last 24 hours' },
  { value: '7d', label: 'in the last 7 days' },
  { value: '30d', label: 'in the last 30 days' },
];
