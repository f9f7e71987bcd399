'use client';

import { useCallback, useMemo, useState } from 'react';
import { useRouter } from 'next/navigation';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useQueryStates } from 'nuqs';
import { Button } from '@/components/ui/button';
import { keepDraft, readDraft } from '@/components/ui/draft';
import { EmptyState } from '@/components/ui/empty-state';
import { ArchiveError, NothingRecorded, RecordingNotice } from '@/components/ui/ledger-faces';
import { sentenceOf } from '@/components/ui/error-state';
import { Notice } from '@/components/ui/notice';
import { PageKeys } from '@/components/ui/page-keys';
import { useShortcuts } from '@/components/ui/shortcuts';
import { SkeletonRows } from '@/components/ui/skeleton';
import { RecordFilterBar } from '@/components/records/record-filter-bar';
import {
  filtersOf,
  hasFilters,
  noFilters,
  type RecordAddress,
  recordParsers,
} from '@/components/records/record-address';
import { ArchiveLine } from '@/components/records/archive-line';
import { RecordTable } from '@/components/records/record-table';
import { recordPagePath, recordsQuery } from '@/lib/queries/records';
import { count } from '@/lib/workloads/words';

const keyHints = [
  { keys: ['j', 'k'], label: 'move' },
  { keys: ['↵'], label: 'open' },
  { keys: ['/'], label: 'search' },
];

/** Every recorded rollout, newest first; what is shown of them is in the address. */
export function Records() {
  const [address, setAddress] = useQueryStates(recordParsers);
  const change = useCallback(
    (values: Partial<RecordAddress>, step?: 'typing') =>
      void setAddress(values, { history: step === 'typing' ? 'replace' : 'push' }),
    [setAddress],
  );
  const filters = useMemo(() => filtersOf(address), [address]);
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage, isPlaceholderData } =
    useInfiniteQuery(recordsQuery(filters));
  const records = useMemo(() => data?.pages.flatMap(({ items }) => items), [data]);
  const { index, setIndex } = useRowKeys(records?.map(({ id }) => id) ?? [], () => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  });

  return (
    <>
      <h1 className="sr-only">Records</h1>
      {(error === null || records !== undefined) && <RecordingNotice />}
      <RecordFilterBar address={address} onChange={change} />
      {error !== null && records !== undefined && (
        <Notice tone="stale" title="This may have changed." className="mb-2">
          {sentenceOf(error)}
        </Notice>
      )}
      {error !== null && records === undefined ? (
        <ArchiveError error={error} onRetry={() => void refetch()} />
      ) : records === undefined ? (
        <SkeletonRows rows={18} label="Reading the records" rowHeight={34} />
      ) : records.length === 0 ? (
        hasFilters(address) ? (
          <EmptyState
            title="No record matches"
            glyph="search"
            className="mt-3"
            actions={
              <Button size="small" onClick={() => change(noFilters)}>
                Clear filters
              </Button>
            }
          >
            Words are looked up by how they begin: “check” finds checkout, “out” does not.
          </EmptyState>
        ) : (
          <NothingRecorded />
        )
      ) : (
        <div aria-busy={isPlaceholderData} className={isPlaceholderData ? 'opacity-50' : undefined}>
          <RecordTable records={records} current={index} onSelect={setIndex} />
          {hasNextPage && (
            <div className="flex justify-center py-4">
              <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                {isFetchingNextPage ? 'Reading …' : 'Show older ones'}
              </Button>
            </div>
          )}
        </div>
      )}
      {error === null && <ArchiveLine />}
      <PageKeys
        items={keyHints}
        note={
          records === undefined || records.length === 0
            ? undefined
            : `${count(records.length, 'record')}${hasNextPage ? ' and more' : ''}`
        }
      />
    </>
  );
}

/** The record that was opened last: whoever comes back goes on from it. */
const LAST = 'records.last';

function useRowKeys(ids: readonly string[], onEnd: () => void) {
  const router = useRouter();
  const [chosen, setChosen] = useState<number | null>(null);
  const [last] = useState(() => readDraft(LAST));
  const index = chosen ?? (last === null ? -1 : ids.indexOf(last));
  function moveTo(next: number) {
    if (next >= ids.length) onEnd();
    const at = Math.max(0, Math.min(ids.length - 1, next));
    setChosen(at);
    document
      .querySelector(`[data-record="${CSS.escape(ids[at] ?? '')}"]`)
      ?.scrollIntoView({ block: 'nearest' });
  }
  function setIndex(at: number) {
    setChosen(at);
    keepDraft(LAST, ids[at] ?? '');
  }
  useShortcuts({
    j: { label: 'Next record', run: () => moveTo(index + 1) },
    k: { label: 'Previous record', run: () => moveTo(index - 1) },
    enter: {
      label: 'Open it',
      run: ({ repeat }) => {
        const id = ids[index];
        if (id === undefined || repeat) return;
        keepDraft(LAST, id);
        router.push(recordPagePath(id));
      },
    },
  });
  return { index, setIndex };
}
