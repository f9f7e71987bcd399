'use client';

import { useMemo } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { Button } from '@/components/ui/button';
import { Chip, ChipRow } from '@/components/ui/chip';
import { EmptyState } from '@/components/ui/empty-state';
import { ErrorState } from '@/components/ui/error-state';
import { PageKeys } from '@/components/ui/page-keys';
import { SearchField } from '@/components/ui/search-field';
import { SkeletonRows } from '@/components/ui/skeleton';
import { ActivityTable } from '@/components/activity/activity-table';
import { activityQuery } from '@/lib/queries/activity';

const states = ['done', 'failed', 'refused'] as const;
const parsers = { q: parseAsString.withDefault(''), state: parseAsStringLiteral(states) };
const keyHints = [{ keys: ['/'], label: 'search' }];
const labels = { done: 'Done', failed: 'Failed', refused: 'Refused' } as const;

/** Who did what through Shiplog, refused attempts included. */
export function Activity() {
  const [{ q, state }, setAddress] = useQueryStates(parsers);
  const filters = useMemo(
    () => ({ ...(q.trim() !== '' && { q: q.trim() }), ...(state !== null && { state }) }),
    [q, state],
  );
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery(activityQuery(filters));
  const actions = data?.pages.flatMap(({ items }) => items);
  return (
    <>
      <h1 className="sr-only">Activity</h1>
      <div
        role="search"
        className="flex flex-wrap items-start gap-x-3 gap-y-2 py-2.5 max-desk:flex-col max-desk:items-stretch"
      >
        <SearchField
          label="Search the activity"
          placeholder="Workload, person or reason"
          value={q}
          onChange={(value) => void setAddress({ q: value }, { history: 'replace', throttleMs: 300 })}
          className="desk:w-[268px] desk:flex-none"
        />
        <ChipRow label="Filters" className="py-0.5">
          <Chip pressed={state === null} onClick={() => void setAddress({ state: null })}>
            All
          </Chip>
          {states.map((value) => (
            <Chip
              key={value}
              pressed={state === value}
              onClick={() => void setAddress({ state: state === value ? null : value })}
            >
              {labels[value]}
            </Chip>
          ))}
        </ChipRow>
      </div>
      {error !== null ? (
        <ErrorState error={error} onRetry={() => void refetch()} className="mt-3" />
      ) : actions === undefined ? (
        <SkeletonRows rows={12} label="Reading what was done" />
      ) : actions.length === 0 ? (
        <EmptyState
          title={
            Object.keys(filters).length === 0 ? 'Nothing was done through Shiplog yet' : 'Nothing matches'
          }
          glyph="terminal"
          className="mt-3"
        >
          Every rollback, pause, resume and restart is listed here, refused and failed attempts too.
        </EmptyState>
      ) : (
        <>
          <ActivityTable actions={actions} />
          {hasNextPage && (
            <div className="flex justify-center py-4">
              <Button onClick={() => void fetchNextPage()}>Show older ones</Button>
            </div>
          )}
        </>
      )}
      <PageKeys items={keyHints} />
    </>
  );
}
