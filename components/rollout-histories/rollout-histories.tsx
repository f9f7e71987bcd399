'use client';

import { useMemo } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { parseAsString, parseAsStringLiteral, type Values } from 'nuqs';
import { FilterBar } from '@/components/list/filter-bar';
import type { List } from '@/components/list/list';
import type { StatedFilters } from '@/components/list/list-address';
import { ListPage } from '@/components/list/list-page';
import { rowLink, RowTitle } from '@/components/list/list-table';
import { rolloutHistoriesQuery, rolloutHistoryPagePath } from '@/components/queries/rollout-histories';
import {
  findingLabel,
  findingMeanings,
  podsText,
  stateAppearance,
  usableLabel,
} from '@/components/rollout-histories/history-labels';
import { Crumbs } from '@/components/ui/crumbs';
import { EmptyState } from '@/components/ui/empty-state';
import { Glyph } from '@/components/ui/glyph';
import { TextLink } from '@/components/ui/link';
import { StaleNotice } from '@/components/ui/stale-notice';
import { Tag } from '@/components/ui/tag';
import { AbsoluteTime } from '@/components/ui/time';
import type { RolloutHistoryItem, RolloutHistoryList } from '@/lib/api/rollout-histories';
import { formatCount } from '@/lib/format/text';

/** The state of the page as stored in the address; names as in the API. */
const address = {
  namespace: parseAsString,
  rollout: parseAsString,
  /** Objects that were never completed are hidden, since they hold only an ID. */
  incomplete: parseAsStringLiteral(['shown']),
};

interface HistoriesPage extends Omit<RolloutHistoryList, 'items'> {
  items: readonly RolloutHistoryItem[];
  /** Of those loaded. */
  incompleteCount: number;
}

const rolloutHistories: List<typeof address, HistoriesPage, { incompleteCount: number | undefined }> = {
  title: 'OpenKruise RolloutHistory',
  head: (
    <>
      <Crumbs items={[{ label: 'History', href: '/records' }, { label: 'OpenKruise RolloutHistory' }]} />
      <h1 className="pt-1.5 text-title">OpenKruise RolloutHistory</h1>
      <p className="max-w-[70em] pt-0.5 text-pretty text-ink-2">
        RolloutHistory objects written by OpenKruise. Many are incomplete; “Usable” rates each one. Shiplog’s
        own records are under <TextLink href="/records">History</TextLink>.
      </p>
      <Legend />
    </>
  ),
  label: 'RolloutHistory objects, newest first',
  noun: 'object',
  isLive: true,
  top: (retry) => <StaleNotice onRetry={retry} className="mt-3" />,
  address,
  useAnswer: useHistories,
  useFacts: (_, last) => ({ incompleteCount: last?.incompleteCount }),
  Bar: FilterBar,
  filters: {
    chips: [
      {
        label: 'Include never completed',
        set: { incomplete: 'shown' },
        count: ({ incompleteCount }) => incompleteCount,
      },
    ],
    exact: ['namespace', 'rollout'],
  },
  loading: { label: 'Loading RolloutHistory objects', rows: 12, rowHeight: 31 },
  more: 'Show older objects',
  noMatch: 'No RolloutHistory object matches these filters.',
  empty: ({ served, note, incompleteCount }) =>
    incompleteCount > 0 ? (
      <EmptyState title="No completed objects" glyph="archive" className="mt-1">
        {incompleteCount} never completed {incompleteCount === 1 ? 'object is' : 'objects are'} hidden.
      </EmptyState>
    ) : (
      <EmptyState
        title={served ? 'No RolloutHistory objects' : 'RolloutHistory is not available'}
        glyph="archive"
        className="mt-1"
      >
        {note}
      </EmptyState>
    ),
  keyOf: ({ uid }) => uid,
  href: rolloutHistoryPagePath,
  columns: [
    {
      title: 'Object',
      width: '22%',
      link: rowLink,
      cell: ({ state, name, namespace, cluster }) => (
        <RowTitle
          glyph={<Glyph name={stateAppearance[state].glyph} className={stateAppearance[state].color} />}
          name={name}
          place={namespace}
          cluster={cluster}
        />
      ),
    },
    {
      title: 'Rollout',
      width: '12%',
      className: 'max-desk:hidden',
      cell: ({ rollout }) => rollout?.value ?? none,
    },
    {
      title: 'State',
      width: '13%',
      className: ({ state }) =>
        `font-medium max-desk:[grid-area:2/1] max-desk:pl-[22px] ${stateAppearance[state].color}`,
      cell: ({ state }) => stateAppearance[state].word,
    },
    {
      title: 'Rollout ID',
      width: '14%',
      className: 'literal text-ink-2 max-desk:hidden',
      cell: ({ rolloutId }) => rolloutId?.value ?? none,
    },
    {
      title: 'Steps',
      width: '9%',
      className: 'text-small text-ink-2 max-desk:[grid-area:2/2]',
      cell: (record) =>
        record.steps.length === 0 ? none : `${formatCount(record.steps.length, 'step')}, ${podsText(record)}`,
    },
    {
      title: 'Usable',
      width: 'auto',
      className: 'max-desk:[grid-area:3/1/4/3] max-desk:pl-[22px] max-desk:whitespace-normal',
      cell: (record) => <Usable record={record} />,
    },
    {
      title: 'Created',
      width: '110px',
      numeric: true,
      className: 'text-small text-ink-2 max-desk:[grid-area:1/2] max-desk:leading-[22px]',
      cell: ({ createdAt }) => <AbsoluteTime iso={createdAt} form="short" />,
    },
  ],
};

const none = <span className="font-sans text-ink-3">None</span>;

/** The rollout records that OpenKruise stores itself, newest first, each with how far it can be relied on. */
export function RolloutHistories() {
  return <ListPage list={rolloutHistories} />;
}

/** Without those that were never completed, unless the address shows them; they are counted in any case. */
function useHistories({ incomplete, ...filters }: StatedFilters<Values<typeof address>>) {
  const { data, ...answer } = useInfiniteQuery(rolloutHistoriesQuery(filters));
  const pages = useMemo(() => {
    const all = data?.pages.flatMap(({ items }) => items) ?? [];
    const incompleteCount = all.filter(({ state }) => state === 'neverCompleted').length;
    return data?.pages.map((page) => ({
      ...page,
      items:
        incomplete === 'shown' ? page.items : page.items.filter(({ state }) => state !== 'neverCompleted'),
      incompleteCount,
    }));
  }, [data, incomplete]);
  return { ...answer, data: pages && { pages } };
}

const usableColors = {
  Yes: 'text-complete',
  Partly: 'text-degraded',
  No: 'text-ink-3',
  'Not yet': 'text-ink-3',
};

function Usable({ record }: { record: RolloutHistoryItem }) {
  const { findings, message } = record;
  const usable = usableLabel(record);
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5" title={message}>
      <span className={`font-medium ${usableColors[usable]}`}>{usable}</span>
      {findings.map(({ code, text }) => (
        <Tag key={code} tone={code === 'shiplog' ? 'line' : 'risk'} title={text}>
          {findingLabel(code)}
        </Tag>
      ))}
    </span>
  );
}

/** The meaning of every note. */
function Legend() {
  return (
    <details className="pt-1 text-small">
      <summary className="w-fit cursor-pointer rounded-2 text-ink-3 hover:text-ink max-desk:py-2">
        Legend
      </summary>
      <dl className="grid gap-x-4 gap-y-1 pt-1.5 pb-2 desk:grid-cols-[max-content_1fr]">
        {findingMeanings.map(([code, meaning]) => (
          <div key={code} className="contents">
            <dt className="text-ink">{findingLabel(code)}</dt>
            <dd className="text-ink-2">{meaning}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
