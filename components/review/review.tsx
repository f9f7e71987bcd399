'use client';

import { useCallback, useMemo, useState } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useQueryStates } from 'nuqs';
import { EmptyState } from '@/components/ui/empty-state';
import { ArchiveError, RecordingNotice } from '@/components/ui/ledger-faces';
import { PageKeys } from '@/components/ui/page-keys';
import { useShortcuts } from '@/components/ui/shortcuts';
import { SkeletonRows } from '@/components/ui/skeleton';
import { useNow } from '@/components/ui/time';
import { PeriodFigures } from '@/components/review/period-figures';
import { isDue, queueFilters, reviewParsers } from '@/components/review/review-address';
import { ReviewQueue } from '@/components/review/review-queue';
import { recordsQuery } from '@/lib/queries/records';

const keyHints = [
  { keys: ['j', 'k'], label: 'record' },
  { keys: ['g', 'b', 'f'], label: 'good, bad, follow-up' },
  { keys: ['c'], label: 'comment' },
  { keys: ['n'], label: 'save and next' },
];

const PAGE = 100;
const MINUTE_MS = 60_000;

/** What waits for a verdict, one record at a time, and the figures of the period beside it. */
export function Review({
  children,
}: {
  /** Draws one record; `onDone` goes on to the next. */
  children: (id: string, onDone: () => void) => React.ReactNode;
}) {
  const [address, setAddress] = useQueryStates(reviewParsers);
  const { namespace, only } = address;
  const filters = useMemo(() => queueFilters({ namespace, only }), [namespace, only]);
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery(recordsQuery(filters, PAGE));
  const nowMs = useNow(MINUTE_MS);
  const queue = useMemo(
    () => data?.pages.flatMap(({ items }) => items).filter((record) => isDue(record, nowMs)),
    [data, nowMs],
  );
  const ids = queue?.map(({ id }) => id) ?? [];
  const { held, release } = useHeld(ids[0]);
  const id = address.id ?? held;
  const index = id === null ? -1 : ids.indexOf(id);

  const choose = useCallback(
    (next: string | undefined) => {
      if (next !== undefined) void setAddress({ id: next }, { history: 'replace', scroll: false });
    },
    [setAddress],
  );
  const next = ids[index + 1];
  useShortcuts({
    j: { label: 'Next record', run: () => choose(next) },
    k: { label: 'Previous record', run: () => choose(ids[Math.max(0, index - 1)]) },
  });

  if (error !== null) return <ArchiveError error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <RecordingNotice />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-x-8 desk:grid-cols-[264px_minmax(0,1fr)] full:grid-cols-[264px_minmax(0,1fr)_316px]">
        <h1 className="sr-only">Review</h1>
        <div className="desk:border-r desk:border-line desk:pr-4 print:hidden">
          {queue === undefined ? (
            <div className="pt-4">
              <SkeletonRows rows={7} rowHeight={50} label="Reading what waits for review" />
            </div>
          ) : (
            <ReviewQueue
              queue={queue}
              current={id}
              hasMore={hasNextPage}
              onMore={() => void fetchNextPage()}
              onChoose={choose}
              only={only}
              namespace={namespace}
              onFilter={(change) => {
                release();
                void setAddress({ ...change, id: null }, { history: 'push' });
              }}
            />
          )}
        </div>
        <div className="min-w-0 pt-2">
          {id === null
            ? queue !== undefined && (
                <EmptyState title="Nothing waits for review" glyph="complete" className="mt-2">
                  {only === null && namespace === null
                    ? 'Every rollout that was watched to its end has a verdict, or there was none yet.'
                    : 'Nothing that passes the filters; there may be more without them.'}
                </EmptyState>
              )
            : children(id, () => choose(next ?? (index > 0 ? ids[0] : undefined)))}
        </div>
        <aside
          aria-labelledby="period-title"
          className="border-line pt-4 max-full:col-span-full max-full:mt-6 max-full:border-t full:border-l full:pl-6"
        >
          <PeriodFigures
            period={address.period}
            by={address.by}
            onChange={(change) => void setAddress(change, { history: 'replace', scroll: false })}
          />
        </aside>
        <PageKeys
          items={keyHints}
          note={index === -1 ? undefined : `${index + 1} of ${ids.length}${hasNextPage ? ' and more' : ''}`}
        />
      </div>
    </>
  );
}

/** The first of the queue as it was at first: what arrives later must not push away what somebody writes about. */
function useHeld(first: string | undefined) {
  const [held, setHeld] = useState<string | null>(null);
  if (held === null && first !== undefined) setHeld(first);
  return { held: held ?? first ?? null, release: () => setHeld(null) };
}
