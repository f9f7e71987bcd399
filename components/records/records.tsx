'use client';

import { useMemo, useState } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { parseAsString, parseAsStringLiteral } from 'nuqs';
import { namespaceMenu } from '@/components/list/filters';
import type { List } from '@/components/list/list';
import { ListPage } from '@/components/list/list-page';
import { rowLink, RowTitle } from '@/components/list/list-table';
import { periodMenu, SearchBar } from '@/components/list/search-bar';
import { useRememberedSelection } from '@/components/list/use-remembered-selection';
import { recordPagePath, recordsQuery } from '@/components/queries/records';
import { ArchiveSummary } from '@/components/records/archive-summary';
import { EmptyArchiveState, RecordingInterruptedNotice } from '@/components/shared/archive-states';
import { ActorName } from '@/components/shared/actor-name';
import { outcomeColor, OutcomeGlyph } from '@/components/shared/outcome-glyph';
import { Glyph } from '@/components/ui/glyph';
import { MiddleEllipsis } from '@/components/ui/middle-ellipsis';
import { MomentText } from '@/components/ui/moment-text';
import { TextLink } from '@/components/ui/link';
import { VerdictTag } from '@/components/shared/verdict-tag';
import { foldSuperseded, type HistoryRow } from '@/lib/view/fold-superseded';
import { formatCount } from '@/lib/format/text';
import { outcomes } from '@/lib/api/record-values';
import type { RecordItem, RecordList } from '@/lib/api/records';
import { outcomeLabel, rolloutDurationText, startMoment, transitionText } from '@/lib/view/record-text';

/** The state of the page as stored in the address; names as in the API. */
const address = {
  q: parseAsString.withDefault(''),
  namespace: parseAsString,
  resource: parseAsString,
  name: parseAsString,
  actor: parseAsString,
  image: parseAsString,
  outcome: parseAsStringLiteral(['open', ...outcomes]),
  reviewed: parseAsStringLiteral(['true', 'false']),
  mentions: parseAsStringLiteral(['me']),
  since: parseAsString,
  until: parseAsString,
};

/** A page of the history as it is listed. */
type HistoryPage = Omit<RecordList, 'items'> & { items: readonly HistoryRow[] };

interface Facts {
  namespaces: readonly string[];
  people: readonly string[];
}

/** The runs of superseded rollouts that are open. */
interface Opened {
  ids: ReadonlySet<string>;
  toggle: (id: string) => void;
}

const historyOf = (opened: Opened): List<typeof address, HistoryPage, Facts> => ({
  title: 'History',
  about: 'Every recorded rollout. Timeline shows the same by time; Rollouts, what is in progress now.',
  label: 'Rollouts, newest first',
  noun: 'rollout',
  useSelection: () => useRememberedSelection('records.last'),
  address,
  useAnswer: (stated) => useFolded(useInfiniteQuery(recordsQuery(stated)), opened.ids),
  useFacts,
  Bar: SearchBar,
  filters: {
    search: { label: 'Search history', placeholder: 'Workload, image, person, cause' },
    chips: [
      { label: 'All', set: { outcome: null, reviewed: null } },
      { label: 'In progress', set: { outcome: 'open' } },
      { label: 'Failed', set: { outcome: 'failed' } },
      { label: 'Rolled back', set: { outcome: 'rolledBack' } },
      { label: 'Completed', set: { outcome: 'completed' } },
      { label: 'Not reviewed', set: { reviewed: 'false' } },
    ],
    menus: [
      namespaceMenu,
      {
        name: 'actor',
        label: 'Changed by',
        any: 'Anyone',
        options: ({ people }) => people.map((value) => ({ value, label: value })),
      },
      periodMenu,
    ],
    exact: ['resource', 'name', 'image', 'until', 'mentions'],
  },
  end: (
    <TextLink href="/rollout-histories" className="flex-none py-1 text-small max-desk:py-2">
      OpenKruise RolloutHistory
    </TextLink>
  ),
  loading: { label: 'Loading history…', rows: 18, rowHeight: 34 },
  missing: 'Some rollouts are missing.',
  more: 'Show older rollouts',
  noMatch: 'Search matches word prefixes: “check” finds “checkout”.',
  empty: () => <EmptyArchiveState />,
  top: () => <RecordingInterruptedNotice />,
  bottom: () => <ArchiveSummary />,
  keyOf: ({ id }) => id,
  href: ({ id }) => recordPagePath(id),
  columns: [
    {
      title: 'Workload',
      width: '20%',
      link: rowLink,
      cell: (record) => (
        <RowTitle
          glyph={<OutcomeGlyph record={record} />}
          name={record.workload.name}
          place={record.workload.namespace}
          cluster={record.workload.cluster}
        />
      ),
    },
    {
      title: 'Revisions',
      width: '84px',
      className: 'rev max-desk:hidden',
      cell: (record) => <MiddleEllipsis text={transitionText(record)} />,
    },
    {
      title: 'Status',
      width: '10%',
      className:
        'max-desk:[grid-area:2/1] max-desk:pl-[22px] desk:py-[5px] desk:leading-5 desk:whitespace-normal',
      cell: (record) => <OutcomeCell record={record} />,
    },
    {
      title: 'Changes',
      width: 'auto',
      className: 'text-ink-2 max-desk:[grid-area:3/1/4/3] max-desk:truncate max-desk:pl-[22px]',
      hint: ({ summary }) => summary,
      cell: (record) => <ChangesCell record={record} opened={opened} />,
    },
    {
      title: 'Related',
      width: '108px',
      className: 'text-small max-desk:hidden',
      cell: (record) => <RelatedCell record={record} />,
    },
    {
      title: 'Changed by',
      width: '11%',
      className: 'text-small text-ink-2 max-desk:hidden',
      cell: ({ actor }) => <ActorName actor={actor} />,
    },
    {
      title: 'Duration',
      width: '80px',
      numeric: true,
      className: 'text-small text-ink-2 max-desk:hidden',
      cell: (record) => rolloutDurationText(record) ?? <span className="text-ink-3">–</span>,
    },
    {
      title: 'Started',
      width: '92px',
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
});

/** Every recorded rollout, newest first. */
export function Records() {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const list = useMemo(
    () =>
      historyOf({
        ids,
        toggle: (id) => setIds((before) => toggled(before, id)),
      }),
    [ids],
  );
  return <ListPage list={list} />;
}

function toggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return ids.has(id) ? new Set([...ids].filter((each) => each !== id)) : new Set([...ids, id]);
}

type RecordsAnswer = ReturnType<typeof useInfiniteQuery<RecordList>>;

/** Runs may extend over pages: the first one has all rows. */
function useFolded(
  answer: Pick<
    RecordsAnswer,
    'error' | 'isPlaceholderData' | 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage' | 'refetch'
  > & {
    data: { pages: RecordList[] } | undefined;
  },
  opened: ReadonlySet<string>,
) {
  const { data } = answer;
  const folded = useMemo(() => {
    if (data === undefined) return undefined;
    const rows = foldSuperseded(
      data.pages.flatMap(({ items }) => items),
      opened,
    );
    return {
      pages: data.pages.map((page, index): HistoryPage => ({ ...page, items: index === 0 ? rows : [] })),
    };
  }, [data, opened]);
  return { ...answer, data: folded };
}

/** Namespaces and people of the latest rollouts, whatever the filters, and of those listed. */
function useFacts(rows: readonly HistoryRow[] | undefined): Facts {
  const { data } = useInfiniteQuery(recordsQuery({}));
  return useMemo(() => {
    const known = [...(data?.pages.flatMap(({ items }) => items) ?? []), ...(rows ?? [])];
    const people = known.flatMap(({ actor }) => (actor === null ? [] : [actor.name]));
    return {
      namespaces: [...new Set(known.map(({ workload }) => workload.namespace))].sort(),
      people: [...new Set(people)].sort(),
    };
  }, [data, rows]);
}

function ChangesCell({ record, opened }: { record: HistoryRow; opened: Opened }) {
  const { restart, summary, cause, folded = [], id } = record;
  const isOpen = opened.ids.has(id);
  return (
    <>
      {folded.length > 0 && (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => opened.toggle(id)}
          className="relative z-1 mr-2 inline-flex items-center gap-1 rounded-2 text-accent hover:underline"
        >
          <Glyph name={isOpen ? 'chevron-down' : 'chevron-right'} size={11} />
          {formatCount(folded.length, 'earlier edit')}
        </button>
      )}
      {restart ? 'Restart' : summary}
      {cause !== null && <span className="ml-2 text-ink-3">{cause}</span>}
    </>
  );
}

/** What the rollout reverted, and what reverted it later, as links. */
function RelatedCell({ record: { outcome, revertedBy, reverts } }: { record: HistoryRow }) {
  return (
    <>
      {reverts !== null && (
        <TextLink href={recordPagePath(reverts.rollout.id)} title={reverts.sentence} prefetch={false}>
          ↩ Reverts {reverts.rollout.number === null ? 'earlier' : `rev ${reverts.rollout.number}`}
        </TextLink>
      )}
      {revertedBy !== null && (outcome === 'completed' || reverts === null) && (
        <TextLink href={recordPagePath(revertedBy)} prefetch={false} className="block">
          {outcome === 'completed' ? '↩ Later reverted' : '↩ Rollback'}
        </TextLink>
      )}
    </>
  );
}

function OutcomeCell({ record }: { record: RecordItem }) {
  return (
    <>
      <span className={`font-medium ${outcomeColor(record)}`}>{outcomeLabel(record)}</span>
      <span className="rev ml-2 desk:hidden">{transitionText(record)}</span>
      {record.revertedBy !== null && record.outcome === 'completed' && (
        <span className="ml-1.5 text-ink-3 desk:hidden">later reverted</span>
      )}
    </>
  );
}

function ReviewCell({ record: { review } }: { record: RecordItem }) {
  const count = review.comments.length;
  return (
    <span className="inline-flex items-center gap-1.5">
      {review.verdict !== null && <VerdictTag verdict={review.verdict} title={`by ${review.by}`} />}
      {count > 0 && (
        <span
          className="inline-flex items-center gap-1 text-small text-ink-3"
          title={formatCount(count, 'comment')}
        >
          <Glyph name="note" size={12} />
          {count}
        </span>
      )}
    </span>
  );
}
