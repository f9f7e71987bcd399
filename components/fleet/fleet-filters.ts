import { type FleetAddress } from '@/components/fleet/fleet-address';
import { toolOfWorkload } from '@/components/fleet/fleet-filter';
import { type FleetView } from '@/components/fleet/fleet-view';
import { type Filters } from '@/components/list/filters';
import { type WorkloadItem } from '@/lib/api/workloads';
import { formatNamespace } from '@/lib/view/format-namespace';

interface FleetOptions {
  namespaces: readonly string[];
  kinds: readonly { resource: string; kind: string }[];
  tools: readonly string[];
}

interface FleetFacts extends FleetOptions {
  /** Matches of each chip within the other filters; undefined where those match nothing. */
  counts: FleetView['counts'] | undefined;
}

export const fleetFilters: Filters<FleetAddress, FleetFacts> = {
  chips: [
    {
      label: 'All',
      set: { group: null, changedSince: null, severalLive: false },
      count: ({ counts }) => counts?.all,
    },
    { label: 'Needs attention', set: { group: 'look' }, count: ({ counts }) => counts?.look },
    { label: 'In progress', set: { group: 'moving' }, count: ({ counts }) => counts?.moving },
    {
      label: 'Changed in the last hour',
      set: { changedSince: '1h' },
      count: ({ counts }) => counts?.changed,
    },
    { label: 'Mixed revisions', set: { severalLive: true }, count: ({ counts }) => counts?.severalLive },
  ],
  menus: [
    {
      name: 'namespace',
      label: 'Namespace',
      options: ({ namespaces }) => namespaces.map((value) => ({ value, label: formatNamespace(value) })),
    },
    {
      name: 'resource',
      label: 'Kind',
      options: ({ kinds }) => kinds.map(({ resource, kind }) => ({ value: resource, label: kind })),
    },
    {
      name: 'tool',
      label: 'Tool',
      options: ({ tools }) => tools.map((value) => ({ value, label: value })),
    },
    {
      name: 'changedSince',
      label: 'Changed',
      isOpen: true,
      options: [
        { value: '24h', label: 'in the last 24 hours' },
        { value: '7d', label: 'in the last 7 days' },
        { value: '30d', label: 'in the last 30 days' },
      ],
    },
  ],
};

/** The values that the workloads have. */
export function optionsOf(items: readonly WorkloadItem[], namespaces: readonly string[]): FleetOptions {
  const kinds = new Map(items.map(({ resource, kind }) => [resource, kind]));
  const tools = new Set(items.map(toolOfWorkload).filter((tool) => tool !== null));
  return {
    namespaces,
    kinds: [...kinds].map(([resource, kind]) => ({ resource, kind })),
    tools: [...tools].sort(),
  };
}
