'use client';

import { useCallback, useMemo, useState } from 'react';
import { useRouter } from 'next/navigation';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useQueryStates } from 'nuqs';
import { Button } from '@/components/ui/button';
import { saveDraft, readDraft } from '@/components/ui/draft';
import { EmptyState } from '@/components/ui/empty-state';
import {
  ArchiveErrorState,
  EmptyArchiveState,
  RecordingInterruptedNotice,
} from '@/components/shared/archive-states';
import { errorText } from '@/components/ui/error-state';
import { Notice } from '@/components/ui/notice';
import { KeyHints } from '@/components/ui/key-hints';
import { useShortcuts } from '@/components/ui/shortcuts';
import { SkeletonRows } from '@/components/ui/skeleton';
import { focusRow } from '@/components/ui/use-focus-selection';
import { RecordFilterBar } from '@/components/records/record-filter-bar';
import { noFilters, type RecordAddress, recordParsers } from '@/components/records/record-address';
import { ArchiveSummary } from '@/components/records/archive-summary';
import { RecordTable } from '@/components/records/record-table';
import { recordPagePath, recordsQuery } from '@/components/queries/records';
import { formatCount } from '@/lib/format/text';
import { statedFilters, hasFilters } from '@/components/shared/stated-filters';

const keyHints = [
  { keys: ['j', 'k'], label: 'move' },
  { keys: ['↵'], label: 'open' },
  { keys: ['/'], label: 'search' },
];

/** Every recorded rollout, newest first. The address holds the filters. */
export function Records() {
  const [address, setAddress] = useQueryStates(recordParsers);
  const change = useCallback(
    (values: Partial<RecordAddress>, step?: 'typing') =>
      void setAddress(values, { history: step === 'typing' ? 'replace' : 'push' }),
    [setAddress],
  );
  const filters = useMemo(() => statedFilters(address), [address]);
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage, isPlaceholderData } =
    useInfiniteQuery(recordsQuery(filters));
  const records = useMemo(() => data?.pages.flatMap(({ items }) => items), [data]);
  const { index, setIndex } = useRowKeys(records?.map(({ id }) => id) ?? [], () => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  });

  return (
    <>
      <h1 className="sr-only">Records</h1>
      {(error === null || records !== undefined) && <RecordingInterruptedNotice />}
      <RecordFilterBar address={address} onChange={change} />
      {error !== null && records !== undefined && (
        <Notice tone="stale" title="This may have changed." className="mb-2">
          {errorText(error)}
        </Notice>
      )}
      {error !== null && records === undefined ? (
        <ArchiveErrorState error={error} onRetry={() => void refetch()} />
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
          <EmptyArchiveState />
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
      {error === null && <ArchiveSummary />}
      <KeyHints
        items={keyHints}
        note={
          records === undefined || records.length === 0
            ? undefined
            : `${formatCount(records.length, 'record')}${hasNextPage ? ' and more' : ''}`
        }
      />
    </>
  );
}

/** The record that was opened last: the selection after going back. */
const SELECTED_RECORD_KEY = 'records.last';

function useRowKeys(ids: readonly string[], onEnd: () => void) {
  const router = useRouter();
  const [chosen, setChosen] = useState<number | null>(null);
  const [last] = useState(() => readDraft(SELECTED_RECORD_KEY));
  const index = chosen ?? (last === null ? -1 : ids.indexOf(last));
  function moveTo(next: number) {
    if (next >= ids.length) onEnd();
    const at = Math.max(0, Math.min(ids.length - 1, next));
    setChosen(at);
    focusRow('data-record', ids[at] ?? '');
  }
  function setIndex(at: number) {
    setChosen(at);
    saveDraft(SELECTED_RECORD_KEY, ids[at] ?? '');
  }
  useShortcuts({
    j: { label: 'Next record', run: () => moveTo(index + 1) },
    k: { label: 'Previous record', run: () => moveTo(index - 1) },
    enter: {
      label: 'Open it',
      run: ({ repeat }) => {
        const id = ids[index];
        if (id === undefined || repeat) return;
        saveDraft(SELECTED_RECORD_KEY, id);
        router.push(recordPagePath(id));
      },
    },
  });
  return { index, setIndex };
}
