'use client';

import { useState } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { parseAsString, parseAsStringLiteral } from 'nuqs';
import { FilterBar } from '@/components/list/filter-bar';
import { type List } from '@/components/list/list';
import { type StatedFilters } from '@/components/list/list-address';
import { ListPage } from '@/components/list/list-page';
import { rowLink, RowTitle } from '@/components/list/list-table';
import { useRememberedSelection } from '@/components/list/use-remembered-selection';
import { type RolloutFilters, rolloutPagePath, rolloutsQuery } from '@/components/queries/rollouts';
import {
  isOpen,
  openStates,
  rolloutAppearance,
  settledStates,
  systemName,
} from '@/components/rollouts/rollout-labels';
import { describeState, formatTransition, noteOf, podsText } from '@/components/rollouts/rollout-row-text';
import { RolloutGlyph } from '@/components/rollouts/rollout-state';
import { StepDots } from '@/components/rollouts/step-dots';
import { EmptyState } from '@/components/ui/empty-state';
import { TextLink } from '@/components/ui/link';
import { LocalizedTimesText } from '@/components/ui/localized-times-text';
import { MiddleEllipsis } from '@/components/ui/middle-ellipsis';
import { StaleNotice } from '@/components/ui/stale-notice';
import { Elapsed, RelativeTime } from '@/components/ui/time';
import { type RolloutItem, type RolloutList } from '@/lib/api/rollouts';
import { rolloutStates, type RolloutState } from '@/lib/api/rollout-values';
import { nameKey } from '@/lib/kube/name-key';
import { styleLabel } from '@/lib/rollout/style-text';

/** Two groups of states besides single ones. */
const stateFilters = ['open', 'settled', ...rolloutStates] as const;

/** The state of the page as stored in the address; names as in the API. */
const address = {
  namespace: parseAsString,
  system: parseAsString,
  state: parseAsStringLiteral(stateFilters),
};

const rollouts: List<typeof address, RolloutList, Facts> = {
  title: 'Rollouts',
  label: 'Rollouts',
  noun: 'rollout',
  isLive: true,
  top: (retry) => <StaleNotice onRetry={retry} className="mt-3" />,
  isSticky: true,
  useSelection: () => useRememberedSelection('rollouts.last'),
  address,
  useAnswer: (stated) => useInfiniteQuery(rolloutsQuery(filtersOf(stated))),
  useFacts,
  Bar: FilterBar,
  filters: {
    chips: [
      { label: 'All', set: { state: null }, count: ({ counts }) => counts?.total },
      { label: 'In progress', set: { state: 'open' }, count: (facts) => countOf(facts, openStates) },
      {
        label: 'Waiting for approval',
        set: { state: 'waiting' },
        count: (facts) => countOf(facts, ['waiting']),
      },
      { label: 'Finished', set: { state: 'settled' }, count: (facts) => countOf(facts, settledStates) },
    ],
    menus: [
      {
        name: 'state',
        label: 'State',
        any: 'Every state',
        terse: true,
        options: ({ counts }, chosen) =>
          rolloutStates
            .map((value) => ({
              value,
              label: rolloutAppearance[value].word,
              hint: counts?.byState[value] ?? 0,
            }))
            .filter(({ value, hint }) => value === chosen || hint > 0),
      },
      {
        name: 'namespace',
        label: 'Namespace',
        any: 'All namespaces',
        terse: true,
        options: ({ namespaces }) => namespaces.map((value) => ({ value, label: value })),
      },
      {
        name: 'system',
        label: 'System',
        any: 'All systems',
        terse: true,
        options: ({ systems }) => systems.map((value) => ({ value, label: systemName(value) })),
      },
    ],
  },
  end: (
    <TextLink href="/rollout-histories" className="flex-none py-1 text-small max-desk:py-2">
      RolloutHistory records
    </TextLink>
  ),
  compare: (a, b) => urgencyOf(a) - urgencyOf(b),
  loading: { label: 'Reading the rollouts', rows: 12, rowHeight: 31 },
  more: 'Show more',
  noMatch: 'There are rollouts of other states or in other namespaces.',
  empty: ({ served }) => <NoRollouts served={served} />,
  keyOf: nameKey,
  href: (rollout) => rolloutPagePath(rollout),
  rowClass: 'max-desk:gap-y-0.5',
  columns: [
    {
      title: 'Rollout',
      width: '18%',
      link: rowLink,
      cell: (rollout) => (
        <RowTitle glyph={<RolloutGlyph rollout={rollout} />} name={rollout.name} place={rollout.namespace} />
      ),
    },
    {
      title: 'State',
      width: '248px',
      className: 'max-desk:[grid-area:2/1] max-desk:pl-[22px]',
      cell: (rollout) => (
        <span className={clsx('font-medium', rolloutAppearance[rollout.state].color)}>
          {describeState(rollout)}
        </span>
      ),
    },
    {
      title: 'Steps',
      width: '168px',
      className: 'max-desk:[grid-area:2/2] max-desk:flex max-desk:w-[112px] max-desk:items-center',
      cell: (rollout) => <StepDots rollout={rollout} />,
    },
    { title: 'Pods', width: '12%', className: 'text-small text-ink-2 max-desk:hidden', cell: podsText },
    {
      title: 'Revision',
      width: '9%',
      className: 'rev max-desk:hidden',
      hint: ({ style }) => styleLabel(style),
      cell: (rollout) => <MiddleEllipsis text={formatTransition(rollout)} />,
    },
    {
      title: 'What it waits for, or what changed',
      width: 'auto',
      className: 'text-ink-2 max-desk:[grid-area:3/1/4/3] max-desk:truncate max-desk:pl-[22px]',
      hint: noteOf,
      cell: (rollout) => <LocalizedTimesText text={noteOf(rollout)} />,
    },
    {
      title: 'Since',
      width: '92px',
      numeric: true,
      className: 'text-small text-ink-2 max-desk:[grid-area:1/2] max-desk:leading-[22px]',
      cell: (rollout) => <Since rollout={rollout} />,
    },
  ],
};

/** Every progressive rollout, those in progress first. */
export function Rollouts() {
  return <ListPage list={rollouts} />;
}

/** The query of the API. */
export function filtersOf({
  state,
  ...others
}: StatedFilters<{
  namespace: string;
  system: string;
  state: (typeof stateFilters)[number];
}>): RolloutFilters {
  if (state === undefined) return others;
  const states = state === 'open' ? openStates : state === 'settled' ? settledStates : [state];
  return { ...others, state: states.join(',') };
}

interface Facts {
  counts: RolloutList['counts'] | undefined;
  namespaces: readonly string[];
  systems: readonly string[];
}

/** The menus offer every value of this visit, whatever the current filters are. */
function useFacts(rows: readonly RolloutItem[] | undefined, last: RolloutList | undefined): Facts {
  const [known, setKnown] = useState({ namespaces: [] as string[], systems: [] as string[] });
  const namespaces = withSeen(
    known.namespaces,
    rows?.map(({ namespace }) => namespace),
  );
  const systems = withSeen(
    known.systems,
    rows?.map(({ system }) => system),
  );
  if (namespaces !== known.namespaces || systems !== known.systems) setKnown({ namespaces, systems });
  return { ...known, counts: last?.counts };
}

function withSeen(known: string[], seen: readonly string[] = []): string[] {
  const all = new Set([...known, ...seen]);
  return all.size === known.length ? known : [...all];
}

function countOf({ counts }: Facts, states: readonly RolloutState[]): number | undefined {
  return counts && states.reduce((total, state) => total + (counts.byState[state] ?? 0), 0);
}

/** What needs a person, then what progresses, then the rest. */
function urgencyOf({ state }: RolloutItem): number {
  if (state === 'failed' || state === 'stalled') return 0;
  if (state === 'waiting') return 1;
  if (isOpen(state)) return 2;
  return state === 'idle' ? 4 : 3;
}

function Since({ rollout: { since, state, createdAt } }: { rollout: RolloutItem }) {
  if (since === null && state === 'idle') return <RelativeTime iso={createdAt} />;
  if (since === null) return <span className="text-ink-3">unknown</span>;
  return isOpen(state) ? <Elapsed from={since} /> : <RelativeTime iso={since} suffix="ago" />;
}

function NoRollouts({ served }: { served: boolean }) {
  return served ? (
    <EmptyState title="Nothing is released in steps" glyph="list" className="mt-3">
      The cluster knows OpenKruise Rollouts, but there is none that you may see. One that is created shows
      here at once.
    </EmptyState>
  ) : (
    <EmptyState title="No system that releases in steps is installed" glyph="plug" className="mt-3">
      Shiplog knows OpenKruise Rollouts (<span className="literal">rollouts.rollouts.kruise.io</span>); this
      cluster does not serve them. Rollouts of Deployments, StatefulSets and DaemonSets stand in the fleet and
      the timeline.
    </EmptyState>
  );
}
