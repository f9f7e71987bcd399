'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { parseAsString } from 'nuqs';
import { ExactFilters } from '@/components/list/exact-filters';
import { type List } from '@/components/list/list';
import { ListPage } from '@/components/list/list-page';
import { rowLink, RowTitle } from '@/components/list/list-table';
import { rolloutHistoriesQuery, rolloutHistoryPagePath } from '@/components/queries/rollout-histories';
import { findingLabel, podsText, stateAppearance } from '@/components/rollout-histories/history-labels';
import { Crumbs } from '@/components/ui/crumbs';
import { EmptyState } from '@/components/ui/empty-state';
import { Glyph } from '@/components/ui/glyph';
import { StaleNotice } from '@/components/ui/stale-notice';
import { Tag } from '@/components/ui/tag';
import { AbsoluteTime } from '@/components/ui/time';
import { type RolloutHistoryItem, type RolloutHistoryList } from '@/lib/api/rollout-histories';

/** The state of the page as stored in the address; names as in the API. */
const address = { namespace: parseAsString, rollout: parseAsString };

const rolloutHistories: List<typeof address, RolloutHistoryList> = {
  title: 'RolloutHistory records',
  head: (
    <>
      <Crumbs items={[{ label: 'Rollouts', href: '/rollouts' }, { label: 'RolloutHistory records' }]} />
      <h1 className="pt-1.5 text-title">RolloutHistory records</h1>
      <p className="max-w-[70em] pt-0.5 pb-2 text-pretty text-ink-2">
        What OpenKruise itself wrote down of its releases. It never completes many of these, so each says what
        it is worth. Shiplog’s own account of every rollout stands under Records.
      </p>
    </>
  ),
  label: 'RolloutHistory records, newest first',
  noun: 'record',
  isLive: true,
  top: (retry) => <StaleNotice onRetry={retry} className="mt-3" />,
  address,
  useAnswer: (stated) => useInfiniteQuery(rolloutHistoriesQuery(stated)),
  Bar: ExactFilters,
  filters: { exact: ['namespace', 'rollout'] },
  loading: { label: 'Reading the records', rows: 12, rowHeight: 31 },
  noMatch: 'None matches what is asked for.',
  empty: ({ served, note }) => (
    <EmptyState
      title={served ? 'No records' : 'No such records are kept here'}
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
      title: 'Record',
      width: '22%',
      link: rowLink,
      cell: ({ state, name, namespace }) => (
        <RowTitle
          glyph={<Glyph name={stateAppearance[state].glyph} className={stateAppearance[state].color} />}
          name={name}
          place={namespace}
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
      title: 'Release id',
      width: '14%',
      className: 'literal text-ink-2 max-desk:hidden',
      cell: ({ releaseId }) => releaseId?.value ?? none,
    },
    {
      title: 'Steps',
      width: '9%',
      className: 'text-small text-ink-2 max-desk:[grid-area:2/2]',
      cell: (record) => (record.steps.length === 0 ? none : `${record.steps.length}, ${podsText(record)}`),
    },
    {
      title: 'What to know',
      width: 'auto',
      className: 'max-desk:[grid-area:3/1/4/3] max-desk:pl-[22px] max-desk:whitespace-normal',
      cell: (record) => <Findings record={record} />,
    },
    {
      title: 'Made',
      width: '110px',
      numeric: true,
      className: 'text-small text-ink-2 max-desk:[grid-area:1/2] max-desk:leading-[22px]',
      cell: ({ createdAt }) => <AbsoluteTime iso={createdAt} form="short" />,
    },
  ],
};

const none = <span className="font-sans text-ink-3">none</span>;

/** The rollout records that the systems store themselves, newest first, each with its reliability. */
export function RolloutHistories() {
  return <ListPage list={rolloutHistories} />;
}

function Findings({ record: { findings, message } }: { record: RolloutHistoryItem }) {
  if (findings.length === 0) {
    return (
      <span className="text-ink-3" title={message}>
        {message}
      </span>
    );
  }
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      {findings.map(({ code, text }) => (
        <Tag key={code} tone={code === 'shiplog' ? 'line' : 'risk'} title={text}>
          {findingLabel(code)}
        </Tag>
      ))}
    </span>
  );
}
