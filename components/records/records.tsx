'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { parseAsString, parseAsStringLiteral } from 'nuqs';
import { type List } from '@/components/list/list';
import { ListPage } from '@/components/list/list-page';
import { rowLink, RowTitle } from '@/components/list/list-table';
import { periodMenu, SearchBar } from '@/components/list/search-bar';
import { useRememberedSelection } from '@/components/list/use-remembered-selection';
import { recordPagePath, recordsQuery } from '@/components/queries/records';
import { ArchiveSummary } from '@/components/records/archive-summary';
import { EmptyArchiveState, RecordingInterruptedNotice } from '@/components/shared/archive-states';
import { outcomeColor, OutcomeGlyph } from '@/components/shared/outcome-glyph';
import { Glyph } from '@/components/ui/glyph';
import { MomentText } from '@/components/ui/moment-text';
import { Tag } from '@/components/ui/tag';
import { type RecordItem, type RecordList } from '@/lib/api/records';
import {
  actorText,
  outcomeLabel,
  rolloutDurationText,
  startMoment,
  transitionText,
} from '@/lib/view/record-text';

/** The state of the page as stored in the address; names as in the API. */
const address = {
  q: parseAsString.withDefault(''),
  namespace: parseAsString,
  resource: parseAsString,
  name: parseAsString,
  actor: parseAsString,
  image: parseAsString,
  outcome: parseAsStringLiteral(['open', 'completed', 'rolledBack', 'superseded', 'failed', 'unknown']),
  reviewed: parseAsStringLiteral(['true', 'false']),
  since: parseAsString,
  until: parseAsString,
};

const records: List<typeof address, RecordList> = {
  title: 'Records',
  label: 'Records, newest first',
  noun: 'record',
  useSelection: () => useRememberedSelection('records.last'),
  address,
  useAnswer: (stated) => useInfiniteQuery(recordsQuery(stated)),
  Bar: SearchBar,
  filters: {
    search: { label: 'Search the records', placeholder: 'Workload, image, person, cause' },
    chips: [
      { label: 'All', set: { outcome: null, reviewed: null } },
      { label: 'In progress', set: { outcome: 'open' } },
      { label: 'Failed', set: { outcome: 'failed' } },
      { label: 'Rolled back', set: { outcome: 'rolledBack' } },
      { label: 'Completed', set: { outcome: 'completed' } },
      { label: 'Not reviewed', set: { reviewed: 'false' } },
    ],
    menus: [periodMenu],
    exact: ['namespace', 'resource', 'name', 'actor', 'image', 'until'],
  },
  loading: { label: 'Reading the records', rows: 18, rowHeight: 34 },
  noMatch: 'Words are looked up by how they begin: “check” finds checkout, “out” does not.',
  empty: () => <EmptyArchiveState />,
  top: () => <RecordingInterruptedNotice />,
  bottom: () => <ArchiveSummary />,
  keyOf: ({ id }) => id,
  href: ({ id }) => recordPagePath(id),
  columns: [
    {
      title: 'Workload',
      width: '22%',
      link: rowLink,
      cell: (record) => (
        <RowTitle
          glyph={<OutcomeGlyph record={record} />}
          name={record.workload.name}
          place={record.workload.namespace}
        />
      ),
    },
    { title: 'Revision', width: '90px', className: 'rev max-desk:hidden', cell: transitionText },
    {
      title: 'How it went',
      width: '15%',
      className:
        'max-desk:[grid-area:2/1] max-desk:pl-[22px] desk:py-[5px] desk:leading-5 desk:whitespace-normal',
      cell: (record) => <OutcomeCell record={record} />,
    },
    {
      title: 'What changed',
      width: 'auto',
      className: 'text-ink-2 max-desk:[grid-area:3/1/4/3] max-desk:truncate max-desk:pl-[22px]',
      hint: ({ summary }) => summary,
      cell: ({ restart, summary, cause }) => (
        <>
          {restart ? 'restart' : summary}
          {cause !== null && <span className="ml-2 text-ink-3">{cause}</span>}
        </>
      ),
    },
    {
      title: 'Who',
      width: '15%',
      className: 'text-small text-ink-2 max-desk:hidden',
      cell: ({ actor }) => actorText(actor) ?? <span className="text-ink-3">not recorded</span>,
    },
    {
      title: 'Took',
      width: '84px',
      numeric: true,
      className: 'text-small text-ink-2 max-desk:hidden',
      cell: (record) => rolloutDurationText(record) ?? <span className="text-ink-3">–</span>,
    },
    {
      title: 'Started',
      width: '110px',
      numeric: true,
      className: 'text-small text-ink-2 max-desk:[grid-area:1/2] max-desk:leading-[22px]',
      cell: (record) => <MomentText moment={startMoment(record)} form="short" />,
    },
    {
      title: 'Review',
      width: '70px',
      className: 'max-desk:[grid-area:2/2] max-desk:text-end',
      cell: (record) => <ReviewCell record={record} />,
    },
  ],
};

/** Every recorded rollout, newest first. */
export function Records() {
  return <ListPage list={records} />;
}

function OutcomeCell({ record }: { record: RecordItem }) {
  const { outcome, revertedBy, takesBack } = record;
  return (
    <>
      <span className={`font-medium ${outcomeColor(record)}`}>{outcomeLabel(record)}</span>
      <span className="rev ml-2 desk:hidden">{transitionText(record)}</span>
      {revertedBy !== null && outcome === 'completed' && (
        <span className="ml-1.5 text-ink-3">later reverted</span>
      )}
      {takesBack !== null && (
        <span className="ml-1.5 text-ink-3" title={takesBack.sentence}>
          reverts{' '}
          {takesBack.rollout.number === null ? 'an earlier rollout' : `rev ${takesBack.rollout.number}`}
        </span>
      )}
    </>
  );
}

const verdictTags = {
  good: { tone: 'good', word: 'good' },
  bad: { tone: 'bad', word: 'bad' },
  followUp: { tone: 'held', word: 'follow-up' },
} as const;

function ReviewCell({ record: { review } }: { record: RecordItem }) {
  const tag = review.verdict === null ? null : verdictTags[review.verdict];
  const count = review.comments.length;
  return (
    <span className="inline-flex items-center gap-1.5">
      {tag && (
        <Tag tone={tag.tone} title={`by ${review.by}`}>
          {tag.word}
        </Tag>
      )}
      {count > 0 && (
        <span className="inline-flex items-center gap-1 text-small text-ink-3" title={`${count} comments`}>
          <Glyph name="note" size={12} />
          {count}
        </span>
      )}
    </span>
  );
}
