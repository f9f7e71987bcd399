'use client';

import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useRouter } from 'next/navigation';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useQueryStates } from 'nuqs';
import { RecordingInterruptedNotice, UnrecordedKindsNotice } from '@/components/shared/archive-states';
import { useCanWrite } from '@/components/shared/use-can-write';
import { Waiting } from '@/components/shared/waiting';
import { usePhone } from '@/components/ui/media';
import { FooterNote } from '@/components/ui/footer-note';
import { useShortcuts } from '@/components/ui/shortcuts';
import { SkeletonRows } from '@/components/ui/skeleton';
import { BulkVerdictForm } from '@/components/review/bulk-verdict-form';
import { reportPagePath } from '@/components/review/period-address';
import { isQuickSuccess, orderQueue } from '@/components/review/queue-order';
import { useQueueSelection } from '@/components/review/queue-selection';
import { QueueSteps } from '@/components/review/queue-steps';
import { periodParsers, reviewParsers, rulesOf } from '@/components/review/review-address';
import { ReviewQueue } from '@/components/review/review-queue';
import { ReviewSummary } from '@/components/review/review-summary';
import { useSelectionKeys } from '@/components/review/use-selection-keys';
import { VerdictForm } from '@/components/review/verdict-form';
import { useVerdictTally } from '@/components/review/verdict-tally';
import type { QueuedRecord } from '@/lib/api/review-queue';
import { recordQuery } from '@/components/queries/records';
import { reviewQueueQuery } from '@/components/queries/review';
import { useClusterFilter } from '@/components/shared/cluster-filter';

/**
 * What waits for a verdict, one record at a time or several selected ones at once; the verdict is always visible. On a
 * phone the record comes before the queue.
 */
export function Review({
  children,
}: {
  /** Draws one record. */
  children: (id: string) => React.ReactNode;
}) {
  const router = useRouter();
  const [address, setAddress] = useQueryStates(reviewParsers);
  const [{ period: periodText, by }] = useQueryStates(periodParsers);
  const reportPath = reportPagePath(periodText, by);
  const { namespace, team, only, restarts, age } = address;
  const place = useClusterFilter();
  const filters = useMemo(
    () => ({ ...rulesOf({ namespace, team, only, restarts, age }), ...place }),
    [namespace, team, only, restarts, age, place],
  );
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery(reviewQueueQuery(filters));
  const { sections, queue, ids } = useMemo(() => {
    const ordered = data && orderQueue(data.pages.flatMap(({ items }) => items));
    const records = ordered?.flatMap(({ groups }) => groups.flatMap((group) => group.records)) ?? [];
    return { sections: ordered, queue: records, ids: records.map(({ id }) => id) };
  }, [data]);
  const { held, release } = usePinnedFirst(ids[0]);
  const chosen = address.id ?? held;
  // The last record is shown until the queue is known to be empty.
  const [finished, setFinished] = useState<string | null>(null);
  const id = chosen === finished && ids.length === 0 ? null : chosen;
  const index = id === null ? -1 : ids.indexOf(id);
  const rules = data?.pages[0];
  const { tally, count } = useVerdictTally();

  const canWrite = useCanWrite();
  const mayWrite = canWrite && queue.some(({ refusals }) => refusals.reviews === null);
  const selection = useQueueSelection(ids);
  const selected = useMemo(
    () => queue.filter((record) => selection.ids.has(record.id)),
    [queue, selection.ids],
  );
  // What could not be saved stays listed until the reviewer has read it.
  const [isListing, setListing] = useState(false);
  const isBulk = mayWrite && (selected.length > 0 || isListing);

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
  /** The next one that is not among those that have a verdict now. */
  const chooseNext = (isDone: (other: string) => boolean) => {
    const following = [...ids.slice(index + 1), ...ids.slice(0, Math.max(0, index))].find(
      (other) => !isDone(other),
    );
    if (following === undefined) setFinished(chosen);
    else choose(following);
  };
  const clearSelection = () => {
    selection.clear();
    setListing(false);
  };
  const quick = useMemo(() => queue.filter(isQuickSuccess).map((record) => record.id), [queue]);
  useShortcuts({
    j: { label: 'Next record', hint: 'record', run: () => choose(ids[index + 1]) },
    k: { label: 'Previous record', hint: 'record', run: () => choose(ids[Math.max(0, index - 1)]) },
    e: { label: 'Open report', hint: 'report', run: () => router.push(reportPath) },
  });
  useSelectionKeys({
    sections: mayWrite ? (sections ?? []) : [],
    ids,
    quick,
    current: id,
    selection,
    onChoose: choose,
    onClear: isBulk ? clearSelection : undefined,
  });

  const answer = { data: sections && rules && { sections, rules }, error };
  const queuePart = (
    <div key="queue" className="desk:border-r desk:border-line desk:pr-4 print:hidden">
      <Waiting
        answer={answer}
        loading={
          <div className="overflow-hidden pt-4">
            <SkeletonRows rows={7} rowHeight={50} label="Loading the queue" />
          </div>
        }
        onRetry={() => void refetch()}
        className="mt-4"
      >
        {(loaded) => (
          <ReviewQueue
            {...loaded}
            count={ids.length}
            quick={quick}
            selection={mayWrite ? selection : null}
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
  const verdict = isBulk ? (
    <BulkVerdictForm
      key="bulk"
      selected={selected}
      onSaved={count}
      onDone={(saved, hasUnsaved) => {
        setListing(hasUnsaved);
        if (id !== null && saved.has(id)) chooseNext((other) => saved.has(other));
      }}
      onClear={clearSelection}
      onOpen={choose}
    />
  ) : (
    id !== null && (
      <RecordVerdict
        key={id}
        id={id}
        queue={queue}
        onDone={(given) => {
          if (given !== null) count(id, given);
          chooseNext((other) => given === null && other === id);
        }}
      />
    )
  );
  const recordPart = (
    <div key="record" className="flex min-w-0 flex-col desk:min-h-[calc(100dvh-var(--top)-var(--foot))]">
      <div
        id="under-review"
        tabIndex={-1}
        role="region"
        aria-label="Record under review"
        className="min-w-0 pt-2 pb-4 outline-none"
      >
        {id === null
          ? answer.data && (
              <>
                <UnrecordedKindsNotice />
                <ReviewSummary
                  tally={tally}
                  hasRules={Object.keys(filters).length > 0}
                  onMore={hasNextPage ? () => void fetchNextPage() : undefined}
                  reportPath={reportPath}
                />
              </>
            )
          : children(id)}
      </div>
      {!isPhone && verdict}
    </div>
  );
  return (
    <>
      <RecordingInterruptedNotice />
      {/* A record under review has its own. */}
      {id === null && <h1 className="sr-only">Review</h1>}
      <div className="gap-x-8 desk:grid desk:grid-cols-[264px_minmax(0,1fr)] wide:grid-cols-[300px_minmax(0,1fr)]">
        {isPhone && <QueueSteps ids={ids} hasMore={hasNextPage} index={index} onChoose={choose} />}
        {isPhone ? [recordPart, queuePart] : [queuePart, recordPart]}
        {isPhone && verdict}
        <FooterNote>
          {index === -1 ? undefined : `${index + 1} of ${ids.length}${hasNextPage ? ' and more' : ''}`}
        </FooterNote>
      </div>
    </>
  );
}

/**
 * The verdict on one record. That of the queue is enough for it, so that no key is lost while the record is loading.
 */
function RecordVerdict({
  id,
  queue,
  onDone,
}: {
  id: string;
  queue: readonly QueuedRecord[];
  onDone: React.ComponentProps<typeof VerdictForm>['onDone'];
}) {
  const client = useQueryClient();
  const { data } = useQuery(recordQuery(id));
  const index = queue.findIndex((queued) => queued.id === id);
  const record = data ?? queue[index];
  const next = queue[index + 1]?.id;
  useEffect(() => {
    if (data !== undefined && next !== undefined) void client.prefetchQuery(recordQuery(next));
  }, [client, data, next]);
  if (record === undefined) return null;
  return <VerdictForm inBar record={record} saveLabel="Save and next" queue={queue} onDone={onDone} />;
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
