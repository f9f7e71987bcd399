'use client';

import { useState } from 'react';
import { rowKeyOf } from '@/components/queries/workload-ref';
import { parseAsString, parseAsStringLiteral } from 'nuqs';
import { FilterBar } from '@/components/list/filter-bar';
import { namespaceMenu } from '@/components/list/filters';
import { type List } from '@/components/list/list';
import { type StatedFilters } from '@/components/list/list-address';
import { ListPage } from '@/components/list/list-page';
import { useRememberedSelection } from '@/components/list/use-remembered-selection';
import { useClusters } from '@/components/queries/cluster';
import { type RolloutFilters } from '@/components/queries/rollouts';
import { settledStates, systemName } from '@/components/rollouts/rollout-labels';
import {
  useCompareRows,
  isProgressive,
  rolloutColumns,
  type ListedRollout,
  rolloutRowPath,
} from '@/components/rollouts/rollout-rows';
import { type LoadedRollouts, useRollouts } from '@/components/rollouts/use-rollouts';
import { EmptyState } from '@/components/ui/empty-state';
import { TextLink } from '@/components/ui/link';
import { StaleNotice } from '@/components/ui/stale-notice';
import { openRolloutStates, type RolloutState } from '@/lib/api/rollout-values';

/** The state of the page as stored in the address; without a state: every rollout in progress. */
const address = {
  type: parseAsStringLiteral(['progressive']),
  namespace: parseAsString,
  system: parseAsString,
  state: parseAsStringLiteral(['waiting', 'settled']),
};

type RolloutAddress = StatedFilters<{
  type: 'progressive';
  namespace: string;
  system: string;
  state: 'waiting' | 'settled';
}>;

const rollouts: List<typeof address, LoadedRollouts, Facts> = {
  title: 'Rollouts',
  label: 'Rollouts, most urgent first',
  noun: 'rollout',
  isLive: true,
  top: (retry) => <StaleNotice onRetry={retry} className="mt-3" />,
  isSticky: true,
  useSelection: () => useRememberedSelection('rollouts.last'),
  address,
  useAnswer: (stated) => useRollouts(filtersOf(stated), showsPlain(stated)),
  useFacts,
  Bar: FilterBar,
  filters: {
    chips: [
      { label: 'In progress', set: { state: null, type: null, system: null }, count: openTotal },
      {
        label: 'Progressive',
        set: { state: null, type: 'progressive' },
        count: (facts) => countOf(facts, openRolloutStates),
      },
      {
        label: 'Waiting for approval',
        set: { state: 'waiting', type: null },
        count: (facts) => countOf(facts, ['waiting']),
      },
      {
        label: 'Finished',
        set: { state: 'settled', type: null },
        count: (facts) => countOf(facts, settledStates),
      },
    ],
    menus: [
      namespaceMenu,
      {
        name: 'system',
        label: 'Controller',
        any: 'All controllers',
        terse: true,
        options: ({ systems }) => systems.map((value) => ({ value, label: systemName(value) })),
      },
    ],
  },
  end: <HistoriesLink />,
  useCompare: useCompareRows,
  loading: { label: 'Loading rollouts', rows: 12, rowHeight: 31 },
  missing: 'Some rollouts are missing.',
  more: 'Show more',
  noMatch: 'Rollouts in other states or namespaces are hidden by the filters.',
  empty: ({ served }) => <NoRollouts served={served} />,
  keyOf: rowKeyOf,
  href: rolloutRowPath,
  rowClass: 'max-desk:gap-y-0.5',
  columns: rolloutColumns,
};

/** History has the link where there is a history. */
function HistoriesLink() {
  const { list } = useClusters();
  if (list?.recording !== false) return null;
  return (
    <TextLink href="/rollout-histories" className="flex-none py-1 text-small max-desk:py-2">
      OpenKruise RolloutHistory
    </TextLink>
  );
}

/** Every rollout in progress, progressive and plain ones, the most urgent first. */
export function Rollouts() {
  return <ListPage list={rollouts} />;
}

/** The query of the API for progressive rollouts. */
export function filtersOf({ namespace, system, state }: RolloutAddress): RolloutFilters {
  const states =
    state === undefined ? openRolloutStates : state === 'settled' ? settledStates : ['waiting' as const];
  return {
    ...(namespace !== undefined && { namespace }),
    ...(system !== undefined && { system }),
    state: states.join(','),
  };
}

/** Plain rollouts have no approval and no controller, and finished ones are in the history alone. */
function showsPlain({ type, system, state }: RolloutAddress): boolean {
  return type === undefined && system === undefined && state === undefined;
}

interface Facts {
  counts: LoadedRollouts['counts'];
  plainTotal: number | undefined;
  namespaces: readonly string[];
  systems: readonly string[];
}

/** The menus offer every value of this visit, whatever the current filters are. */
function useFacts(rows: readonly ListedRollout[] | undefined, last: LoadedRollouts | undefined): Facts {
  const [known, setKnown] = useState({ namespaces: [] as string[], systems: [] as string[] });
  const namespaces = withSeen(
    known.namespaces,
    rows?.map(({ namespace }) => namespace),
  );
  const systems = withSeen(
    known.systems,
    rows?.filter(isProgressive).map(({ system }) => system),
  );
  if (namespaces !== known.namespaces || systems !== known.systems) setKnown({ namespaces, systems });
  return { ...known, counts: last?.counts, plainTotal: last?.plainTotal };
}

function withSeen(known: string[], seen: readonly string[] = []): string[] {
  const all = new Set([...known, ...seen]);
  return all.size === known.length ? known : [...all].sort();
}

function openTotal(facts: Facts): number | undefined {
  const progressive = countOf(facts, openRolloutStates);
  return progressive === undefined || facts.plainTotal === undefined
    ? undefined
    : progressive + facts.plainTotal;
}

function countOf({ counts }: Facts, states: readonly RolloutState[]): number | undefined {
  return counts && states.reduce((total, state) => total + (counts.byState[state] ?? 0), 0);
}

function NoRollouts({ served }: { served: boolean }) {
  return (
    <EmptyState title="No rollouts in progress" glyph="list" className="mt-3">
      A rollout appears here when it starts. <TextLink href="/records">History</TextLink> has the finished
      ones.
      {!served &&
        ' This cluster has no progressive delivery controller that Shiplog knows: OpenKruise Rollouts, Argo Rollouts, Flagger or KubeVela.'}
    </EmptyState>
  );
}
