'use client';

import { useCallback, useMemo, useState } from 'react';
import { useRouter } from 'next/navigation';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useQueryStates } from 'nuqs';
import { Button } from '@/components/ui/button';
import { EmptyState } from '@/components/ui/empty-state';
import { ErrorState } from '@/components/ui/error-state';
import { KeyHints } from '@/components/ui/key-hints';
import { PartialNotice } from '@/components/shared/partial-notice';
import { useShortcuts } from '@/components/ui/shortcuts';
import { SkeletonRows } from '@/components/ui/skeleton';
import { focusRow } from '@/components/ui/use-focus-selection';
import { type ActivityAddress, activityParsers, noFilters } from '@/components/activity/activity-address';
import { ActivityFilterBar } from '@/components/activity/activity-filter-bar';
import { ActivityTable } from '@/components/activity/activity-table';
import { NotificationLines } from '@/components/activity/notification-lines';
import { type ActivityItem } from '@/lib/api/activity';
import { activityQuery } from '@/components/queries/activity';
import { actionPagePath } from '@/components/queries/action';
import { recordPagePath } from '@/components/queries/records';
import { formatCount } from '@/lib/format/text';
import { statedFilters, hasFilters } from '@/components/shared/stated-filters';

const keyHints = [
  { keys: ['j', 'k'], label: 'move' },
  { keys: ['↵'], label: 'open' },
  { keys: ['/'], label: 'search' },
];

/** Who did what through Shiplog, including refused and failed attempts. The address holds the filters. */
export function Activity() {
  const [address, setAddress] = useQueryStates(activityParsers);
  const change = useCallback(
    (values: Partial<ActivityAddress>, step?: 'typing') =>
      void setAddress(values, { history: step === 'typing' ? 'replace' : 'push' }),
    [setAddress],
  );
  const filters = useMemo(() => statedFilters(address), [address]);
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage, isPlaceholderData } =
    useInfiniteQuery(activityQuery(filters));
  const actions = useMemo(() => data?.pages.flatMap(({ items }) => items), [data]);
  const { index, setIndex } = useRowKeys(actions ?? []);
  const partial = data?.pages[0]?.partial ?? [];

  return (
    <>
      <h1 className="sr-only">Activity</h1>
      <ActivityFilterBar address={address} onChange={change} />
      {error === null &&
        partial.map((part) => (
          <PartialNotice key={part.resource} part={part} missing="Older ones are missing." className="mb-2" />
        ))}
      {error !== null ? (
        <ErrorState error={error} onRetry={() => void refetch()} className="mt-3" />
      ) : actions === undefined ? (
        <SkeletonRows rows={12} label="Reading what was done" />
      ) : actions.length === 0 && !hasNextPage ? (
        <EmptyActivity
          isFiltered={hasFilters(address)}
          isPartial={partial.length > 0}
          onClear={() => change(noFilters)}
        />
      ) : (
        <div aria-busy={isPlaceholderData} className={isPlaceholderData ? 'opacity-50' : undefined}>
          <ActivityTable
            actions={actions}
            current={index}
            onSelect={setIndex}
            onActor={(actor) => change({ actor })}
          />
          {hasNextPage && (
            <div className="flex justify-center py-4">
              <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                {isFetchingNextPage ? 'Reading …' : 'Show older ones'}
              </Button>
            </div>
          )}
        </div>
      )}
      {error === null && <NotificationLines targets={data?.pages[0]?.notifications ?? []} />}
      <KeyHints
        items={keyHints}
        note={
          actions === undefined || actions.length === 0
            ? undefined
            : `${formatCount(actions.length, 'action')}${hasNextPage ? ' and more' : ''}`
        }
      />
    </>
  );
}

function EmptyActivity({
  isFiltered,
  isPartial,
  onClear,
}: {
  isFiltered: boolean;
  isPartial: boolean;
  onClear: () => void;
}) {
  if (!isFiltered) {
    const title = isPartial ? 'Nothing was done lately' : 'Nothing was done through Shiplog yet';
    return (
      <EmptyState title={title} glyph="terminal" className="mt-3">
        Every rollback, pause, resume and restart is listed here, refused and failed attempts too.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title="No action matches"
      glyph="search"
      className="mt-3"
      actions={
        <Button size="small" onClick={onClear}>
          Clear filters
        </Button>
      }
    >
      Words are looked for in the workload, the person, the reason and how it went.
    </EmptyState>
  );
}

function useRowKeys(actions: readonly ActivityItem[]) {
  const router = useRouter();
  const [index, setIndex] = useState(-1);
  function moveTo(next: number) {
    const at = Math.max(0, Math.min(actions.length - 1, next));
    setIndex(at);
    focusRow('data-action', actions[at]?.id ?? '');
  }
  useShortcuts({
    j: { label: 'Next action', run: () => moveTo(index + 1) },
    k: { label: 'Previous action', run: () => moveTo(index - 1) },
    enter: {
      label: 'Open the rollout that it began, or its workload',
      run: () => {
        const action = actions[index];
        if (action === undefined) return;
        router.push(action.recordId === null ? actionPagePath(action) : recordPagePath(action.recordId));
      },
    },
  });
  return { index, setIndex };
}
