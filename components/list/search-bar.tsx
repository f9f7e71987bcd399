'use client';

import { FilterBar } from '@/components/list/filter-bar';
import type { FilterBarProps } from '@/components/list/filters';
import { DebouncedSearchField } from '@/components/ui/search-field';

/** When something began: a duration back from now (`7d`), or a time. */
export const periodMenu = {
  name: 'since',
  label: 'Period',
  any: 'Any time',
  terse: true,
  isOpen: true,
  options: [
    { value: '1h', label: 'last hour' },
    { value: '24h', label: 'last 24 hours' },
    { value: '7d', label: 'last 7 days' },
    { value: '30d', label: 'last 30 days' },
  ],
} as const;

/** The bar above a list that the server searches for `q`. */
export function SearchBar<Address extends { q: string }, Facts>({
  onLeaveSearch,
  ...bar
}: FilterBarProps<Address, Facts> & { onLeaveSearch?: () => void }) {
  const { filters, list } = bar;
  return (
    <FilterBar
      {...bar}
      search={
        filters.search && (
          <DebouncedSearchField
            {...filters.search}
            value={list.address.q}
            onChange={(q) => list.change({ q } as Partial<Address>, 'typing')}
            onLeave={onLeaveSearch}
          />
        )
      }
    />
  );
}
