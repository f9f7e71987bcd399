'use client';

import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useRouter } from 'next/navigation';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useQueryStates } from 'nuqs';
import { Button } from '@/components/ui/button';
import { EmptyState } from '@/components/ui/empty-state';
import { RecordingInterruptedNotice, UnrecordedKindsNotice } from '@/components/shared/archive-states';
import { Waiting } from '@/components/shared/waiting';
import { usePhone } from '@/components/ui/media';
import { FooterNote } from '@/components/ui/footer-note';
import { useShortcuts } from '@/components/ui/shortcuts';
import { SkeletonRows } from '@/components/ui/skeleton';
import { readPeriod } from '@/components/review/period';
import { periodPagePath } from '@/components/review/period-address';
import { PeriodFigures } from '@/components/review/period-figures';
import { periodParsers, reviewParsers, rulesOf } from '@/components/review/review-address';
import { ReviewQueue } from '@/components/review/review-queue';
import { QueueSteps } from '@/components/review/queue-steps';
import { reviewQueueQuery } from '@/components/queries/review';

/**
 * What waits for a verdict, one record at a time, and next to it the figures of the period. On a phone the record
 * comes first.
 */
export function Review({
  children,
}: {
  /** Draws one record; `onDone` opens the next one. */
  children: (id: string, onDone: () => void) => React.ReactNode;
}) {
  const router = useRouter();
  const [address, setAddress] = useQueryStates(reviewParsers);
  const [{ period: periodText, by }, setPeriod] = useQueryStates(periodParsers);
  const { namespace, team, only, restarts, age } = address;
  const filters = useMemo(
    () => rulesOf({ namespace, team, only, restarts, age }),
    [namespace, team, only, restarts, age],
  );
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery(reviewQueueQuery(filters));
  const queue = useMemo(() => data?.pages.flatMap(({ items }) => items), [data]);
  const ids = queue?.map(({ id }) => id) ?? [];
  const { held, release } = usePinnedFirst(ids[0]);
  const chosen = address.id ?? held;
  // The last record is shown until the queue is known to be empty.
  const [finished, setFinished] = useState<string | null>(null);
  const id = chosen === finished && ids.length === 0 ? null : chosen;
  const index = id === null ? -1 : ids.indexOf(id);
  const rules = data?.pages[0];

  const isPhone = usePhone();
  const focusNext = useFocusOn(id);
  const choose = useCallback(
    (next: string | undefined) => {
      if (next === undefined) return;
      focusNext();
      void setAddress({ id: next }, { history: 'replace', scroll: false });
    },
    [setAddress, focusNext],
  );
  const next = ids[index + 1];
  const goToNext = () => {
    const following = next ?? (index > 0 ? ids[0] : undefined);
    if (following === undefined) setFinished(chosen);
    else choose(following);
  };
  useShortcuts({
    j: { label: 'Next record', hint: 'record', run: () => choose(next) },
    k: { label: 'Previous record', hint: 'record', run: () => choose(ids[Math.max(0, index - 1)]) },
    e: {
      label: 'The period as a page',
      hint: 'the period',
      run: () => router.push(periodPagePath(periodText, by)),
    },
  });

  const answer = { data: queue && rules && { queue, rules }, error };
  const queuePart = (
    <div key="queue" className="desk:border-r desk:border-line desk:pr-4 print:hidden">
      <Waiting
        answer={answer}
        loading={
          <div className="overflow-hidden pt-4">
            <SkeletonRows rows={7} rowHeight={50} label="Reading what waits for review" />
          </div>
        }
        onRetry={() => void refetch()}
        className="mt-4"
      >
        {(loaded) => (
          <ReviewQueue
            {...loaded}
            current={id}
            hasMore={hasNextPage}
            onMore={() => void fetchNextPage()}
            onChoose={choose}
            isChanged={Object.keys(filters).length > 0}
            onRules={(change) => {
              release();
              void setAddress({ ...change, id: null }, { history: 'push' });
            }}
          />
        )}
      </Waiting>
    </div>
  );
  const recordPart = (
    <div
      key="record"
      id="under-review"
      tabIndex={-1}
      role="region"
      aria-label="Record under review"
      className="min-w-0 pt-2 outline-none"
    >
      {id === null
        ? answer.data && (
            <>
              <UnrecordedKindsNotice />
              <EmptyState
                title="Nothing waits for review"
                glyph="complete"
                className="mt-2"
                actions={
                  hasNextPage && (
                    <Button size="small" onClick={() => void fetchNextPage()}>
                      Look among older ones
                    </Button>
                  )
                }
              >
                {Object.keys(filters).length === 0
                  ? 'Every rollout that was watched to its end has a verdict, or there was none yet.'
                  : 'Nothing that meets these rules; there may be more by others.'}
              </EmptyState>
            </>
          )
        : children(id, goToNext)}
    </div>
  );
  return (
    <>
      <RecordingInterruptedNotice />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-x-8 desk:grid-cols-[264px_minmax(0,1fr)] full:grid-cols-[264px_minmax(0,1fr)_316px]">
        {/* A record under review has its own. */}
        {id === null && <h1 className="sr-only">Review</h1>}
        {isPhone && <QueueSteps ids={ids} hasMore={hasNextPage} index={index} onChoose={choose} />}
        {isPhone ? [recordPart, queuePart] : [queuePart, recordPart]}
        <aside
          aria-labelledby="period-title"
          className="border-line pt-4 max-full:col-span-full max-full:mt-6 max-full:border-t full:border-l full:pl-6"
        >
          <PeriodFigures
            text={periodText}
            period={readPeriod(periodText)}
            by={by}
            onChange={(change) => void setPeriod(change, { history: 'replace', scroll: false })}
          />
        </aside>
        <FooterNote>
          {index === -1 ? undefined : `${index + 1} of ${ids.length}${hasNextPage ? ' and more' : ''}`}
        </FooterNote>
      </div>
    </>
  );
}

/**
 * After a verdict, the focus and the scroll position move to the head of the next record; on the first load they do
 * not change.
 */
function useFocusOn(id: string | null) {
  const isRequested = useRef(false);
  useEffect(() => {
    if (!isRequested.current) return;
    isRequested.current = false;
    document.getElementById('under-review')?.focus({ preventScroll: true });
    const entry = document.querySelector(`[data-queued="${CSS.escape(id ?? '')}"]`);
    entry?.scrollIntoView({ block: 'nearest' });
    // Last: on a phone the list is below the record, and focusing it would scroll there.
    window.scrollTo({ top: 0 });
  }, [id]);
  return useCallback(() => {
    isRequested.current = true;
  }, []);
}

/** The first of the initial queue: later arrivals must not replace the record that the reviewer writes about. */
function usePinnedFirst(first: string | undefined) {
  const [held, setHeld] = useState<string | null>(null);
  if (held === null && first !== undefined) setHeld(first);
  return { held: held ?? first ?? null, release: () => setHeld(null) };
}
