import { periodMenu } from '@/components/list/search-bar';
import type { FleetAddress } from '@/components/fleet/fleet-address';
import { groupNames, toolOfWorkload } from '@/components/fleet/fleet-filter';
import type { FleetView } from '@/components/fleet/fleet-view';
import { groupTitles } from '@/components/fleet/row-text';
import { type Filters, namespaceMenu } from '@/components/list/filters';
import type { WorkloadItem } from '@/lib/api/workloads';

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
    ...groupNames.map((group) => ({
      label: groupTitles[group].title,
      set: { group },
      count: ({ counts }: FleetFacts) => counts?.[group],
    })),
    { label: 'Mixed revisions', set: { severalLive: true }, count: ({ counts }) => counts?.severalLive },
  ],
  menus: [
    namespaceMenu,
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
      options: periodMenu.options.map(({ value, label }) => ({ value, label: `in the ${label}` })),
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
