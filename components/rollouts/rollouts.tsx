'use client';

import { useState, useMemo } from 'react';
import { rowKeyOf } from '@/components/queries/workload-ref';
import { parseAsString, parseAsStringLiteral } from 'nuqs';
import { useInfiniteQuery } from '@tanstack/react-query';
import { FilterBar } from '@/components/list/filter-bar';
import { namespaceMenu } from '@/components/list/filters';
import type { List } from '@/components/list/list';
import type { StatedFilters } from '@/components/list/list-address';
import { ListPage } from '@/components/list/list-page';
import { useRememberedSelection } from '@/components/list/use-remembered-selection';
import { useClusters } from '@/components/queries/cluster';
import { type RolloutFilters, plainRolloutsQuery, rolloutsQuery } from '@/components/queries/rollouts';
import { settledStates, systemName } from '@/components/rollouts/rollout-labels';
import {
  useCompareRows,
  isProgressive,
  rolloutColumns,
  type ListedRollout,
  rolloutRowPath,
} from '@/components/rollouts/rollout-rows';
import { EmptyState } from '@/components/ui/empty-state';
import { TextLink } from '@/components/ui/link';
import { StaleNotice } from '@/components/ui/stale-notice';
import { openRolloutStates, type RolloutState } from '@/lib/api/rollout-values';
import { errorText } from '@/components/ui/error-state';
import type { PartialResult } from '@/lib/api/common';
import type { RolloutList } from '@/lib/api/rollouts';

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
  about: 'What is in progress now, and every progressive rollout. History has what is over.',
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

/** What the list shows of both answers. */
interface LoadedRollouts {
  items: readonly ListedRollout[];
  partial: readonly PartialResult[];
  /** Absent where progressive rollouts could not be loaded. */
  counts: RolloutList['counts'] | undefined;
  /** Plain rollouts in progress; absent where they could not be loaded. */
  plainTotal: number | undefined;
  /** Whether the cluster serves any rollout system. */
  served: boolean;
}

/**
 * Progressive and plain rollouts as one answer. It is there once both halves have answered or failed; a half that
 * failed is a missing part of it, and an error only where the other failed too.
 */
function useRollouts(filters: RolloutFilters, withPlain: boolean) {
  const progressive = useInfiniteQuery(rolloutsQuery(filters));
  const plain = useInfiniteQuery(
    plainRolloutsQuery(filters.namespace === undefined ? {} : { namespace: filters.namespace }),
  );
  const page = useMemo((): LoadedRollouts | undefined => {
    const isPending = [progressive, plain].some(({ data, error }) => data === undefined && error === null);
    if (isPending || (progressive.data === undefined && plain.data === undefined)) return undefined;
    const [last, lastPlain] = [progressive.data?.pages.at(-1), plain.data?.pages.at(-1)];
    return {
      items: [
        ...(progressive.data?.pages.flatMap(({ items }) => items) ?? []),
        ...((withPlain && plain.data?.pages.flatMap(({ items }) => items)) || []),
      ],
      partial: distinct([
        ...missingHalf('Progressive rollouts', progressive.data, progressive.error),
        ...missingHalf('Plain rollouts', plain.data, plain.error),
        ...(last?.partial ?? []),
        ...((withPlain && lastPlain?.partial) || []),
      ]),
      counts: last?.counts,
      plainTotal: lastPlain?.counts.total,
      served: last?.served ?? true,
    };
  }, [progressive, plain, withPlain]);
  const halves = withPlain ? [progressive, plain] : [progressive];
  return {
    data: page && { pages: [page] },
    error: page === undefined || halves.every(({ error }) => error !== null) ? firstError(halves) : null,
    isPlaceholderData: halves.some(({ isPlaceholderData }) => isPlaceholderData),
    hasNextPage: halves.some(({ hasNextPage }) => hasNextPage),
    isFetchingNextPage: halves.some(({ isFetchingNextPage }) => isFetchingNextPage),
    fetchNextPage: () =>
      Promise.all(halves.filter(({ hasNextPage }) => hasNextPage).map((half) => half.fetchNextPage())),
    refetch: () => Promise.all([progressive.refetch(), plain.refetch()]),
  };
}

function firstError(halves: readonly { error: Error | null }[]): Error | null {
  return halves.find(({ error }) => error !== null)?.error ?? null;
}

function missingHalf(name: string, data: object | undefined, error: Error | null): PartialResult[] {
  return error === null
    ? []
    : [
        {
          resource: name,
          reason: `${name} could not be ${data === undefined ? 'loaded' : 'refreshed'}. ${errorText(error)}`,
        },
      ];
}

/** Both halves read some of the same resources. */
function distinct(partial: readonly PartialResult[]): PartialResult[] {
  return [...new Map(partial.map((part) => [`${part.resource} ${part.reason}`, part])).values()];
}
