'use client';

import { outcomeLabel } from '@/lib/view/record-text';
import { orderOf, outcomeFilters, type TimelineAddress } from '@/components/fleet-timeline/timeline-address';
import { type Filters, namespaceMenu } from '@/components/list/filters';
import type { ChangeAddress } from '@/components/list/list-address';
import { Debounced } from '@/components/ui/debounced';
import { MenuButton } from '@/components/ui/menu-button';
import { SelectorField } from '@/components/ui/selector-field';
import type { ClusterList } from '@/lib/api/cluster';
import type { Timeline } from '@/lib/api/timeline';
import type { RolloutSelection, RowOrder } from '@/lib/timeline/fleet-rows';

/** Values that the rollouts have. */
interface TimelineOptions {
  namespaces: readonly string[];
  kinds: readonly { resource: string; kind: string }[];
  people: readonly string[];
}

interface TimelineFacts extends TimelineOptions {
  /** Rollouts of each chip; undefined until they are known. */
  counts: Readonly<Record<RolloutSelection, number>> | undefined;
}

export const timelineFilters: Filters<TimelineAddress, TimelineFacts> = {
  search: { label: 'Search timeline', placeholder: 'Workload, image, person, cause' },
  chips: [
    { label: 'Started', set: { show: 'began' }, count: ({ counts }) => counts?.began },
    { label: 'Active', set: { show: 'all' }, count: ({ counts }) => counts?.all },
    { label: 'Failed or stalled', set: { show: 'look' }, count: ({ counts }) => counts?.look },
    { label: 'In progress', set: { show: 'open' }, count: ({ counts }) => counts?.open },
  ],
  menus: [
    namespaceMenu,
    {
      name: 'resource',
      label: 'Kind',
      options: ({ kinds }) => kinds.map(({ resource, kind }) => ({ value: resource, label: kind })),
    },
    {
      name: 'actor',
      label: 'Changed by',
      options: ({ people }) => people.map((value) => ({ value, label: value })),
    },
    {
      name: 'outcome',
      label: 'Outcome',
      options: outcomeFilters.map((value) => ({
        value,
        label: outcomeLabel({ outcome: value === 'open' ? null : value }),
      })),
    },
  ],
};

export function optionsOf(data: Timeline | undefined, clusters: ClusterList | undefined): TimelineOptions {
  const places = data?.places ?? [];
  const kinds = new Map(
    clusters?.items.flatMap(({ resources }) => resources.map(({ id, kind }) => [id, kind])),
  );
  const people = (data?.items ?? []).flatMap(({ actor }) => (actor === null ? [] : [actor.name]));
  return {
    namespaces: [...new Set(places.map(({ namespace }) => namespace))].sort(),
    kinds: [...new Set(places.map(({ resource }) => resource))].map((resource) => ({
      resource,
      kind: kinds.get(resource) ?? resource,
    })),
    people: [...new Set(people)].sort(),
  };
}

const orders: readonly { value: RowOrder; label: string }[] = [
  { value: 'trouble', label: 'severity' },
  { value: 'latest', label: 'newest' },
  { value: 'place', label: 'namespace' },
  { value: 'nearest', label: 'before incident' },
];

/** The label selector, and the order of the rows. */
export function SelectorAndOrder({
  address,
  change,
  selectorError,
}: {
  address: TimelineAddress;
  change: ChangeAddress<TimelineAddress>;
  selectorError: string | null;
}) {
  const { labelSelector } = address;
  const order = orderOf(address);
  return (
    <>
      <Debounced value={labelSelector} onChange={(text) => change({ labelSelector: text }, 'typing')}>
        {(value, type) => <SelectorField value={value} error={selectorError} onChange={type} />}
      </Debounced>
      <MenuButton
        variant="chip"
        items={orders
          .filter(({ value }) => value !== 'nearest' || address.at !== null)
          .map(({ value, label }) => ({
            label,
            checked: order === value,
            onSelect: () => change({ order: value }),
          }))}
      >
        Sort: {orders.find(({ value }) => value === order)?.label}
      </MenuButton>
    </>
  );
}
