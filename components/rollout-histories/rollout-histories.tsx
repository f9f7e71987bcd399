'use client';

import { useState } from 'react';
import { useRouter } from 'next/navigation';
import { useInfiniteQuery } from '@tanstack/react-query';
import { parseAsString, useQueryStates } from 'nuqs';
import { RolloutHistoriesTable } from '@/components/rollout-histories/rollout-histories-table';
import { Button } from '@/components/ui/button';
import { Chip, ChipRow, ClearFilters } from '@/components/ui/chip';
import { Crumbs } from '@/components/ui/crumbs';
import { EmptyState } from '@/components/ui/empty-state';
import { ErrorState } from '@/components/ui/error-state';
import { Glyph } from '@/components/ui/glyph';
import { KeyHints } from '@/components/ui/key-hints';
import { PartialNotice } from '@/components/shared/partial-notice';
import { useShortcuts } from '@/components/ui/shortcuts';
import { SkeletonRows } from '@/components/ui/skeleton';
import { StaleNotice } from '@/components/ui/stale-notice';
import { focusRow } from '@/components/ui/use-focus-selection';
import { type RolloutHistoryItem } from '@/lib/api/rollout-histories';
import { rolloutHistoriesQuery, rolloutHistoryPagePath } from '@/components/queries/rollout-histories';
import { formatCount } from '@/lib/format/text';

const parsers = { namespace: parseAsString, rollout: parseAsString };
const fields = ['namespace', 'rollout'] as const;
const keyHints = [
  { keys: ['j', 'k'], label: 'move' },
  { keys: ['↵'], label: 'open' },
];

/** The rollout records that the systems store themselves, newest first, each with its reliability. */
export function RolloutHistories() {
  const [address, setAddress] = useQueryStates(parsers, { history: 'push' });
  const { namespace, rollout } = address;
  const isFiltered = namespace !== null || rollout !== null;
  const filters = { ...(namespace !== null && { namespace }), ...(rollout !== null && { rollout }) };
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage, isPlaceholderData } =
    useInfiniteQuery(rolloutHistoriesQuery(filters));
  const records = data?.pages.flatMap(({ items }) => items);
  const last = data?.pages.at(-1);
  const { at, setAt } = useRowKeys(records ?? []);
  return (
    <>
      <Crumbs items={[{ label: 'Rollouts', href: '/rollouts' }, { label: 'RolloutHistory records' }]} />
      <h1 className="pt-1.5 text-title">RolloutHistory records</h1>
      <p className="max-w-[70em] pt-0.5 pb-2 text-pretty text-ink-2">
        What OpenKruise itself wrote down of its releases. It never completes many of these, so each says what
        it is worth. Shiplog’s own account of every rollout stands under Records.
      </p>
      <StaleNotice onRetry={() => void refetch()} className="mt-1" />
      {isFiltered && (
        <ChipRow label="Filters" className="pb-2">
          {fields.map((field) => {
            const value = address[field];
            return value === null ? null : (
              <Chip
                key={field}
                pressed
                aria-label={`${field} ${value}: take this filter away`}
                onClick={() => void setAddress({ [field]: null })}
              >
                {field} {value} <Glyph name="close" size={10} />
              </Chip>
            );
          })}
          <ClearFilters onClear={() => void setAddress({ namespace: null, rollout: null })} />
        </ChipRow>
      )}
      {last?.partial.map((part) => (
        <PartialNotice
          key={`${part.resource} ${part.reason}`}
          part={part}
          missing="Not everything is here."
          className="mb-2"
        />
      ))}
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} className="mt-1" />}
      {records === undefined ? (
        error === null && <SkeletonRows rows={12} label="Reading the records" rowHeight={31} />
      ) : records.length === 0 ? (
        <EmptyState
          title={last?.served === false ? 'No such records are kept here' : 'No records'}
          glyph="archive"
          className="mt-1"
        >
          {(isFiltered ? null : last?.note) ?? 'None matches what is asked for.'}
        </EmptyState>
      ) : (
        <div aria-busy={isPlaceholderData} className={isPlaceholderData ? 'opacity-50' : undefined}>
          <RolloutHistoriesTable records={records} at={at} onSelect={setAt} />
          {hasNextPage && (
            <div className="flex justify-center py-4">
              <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                {isFetchingNextPage ? 'Reading …' : 'Show older ones'}
              </Button>
            </div>
          )}
        </div>
      )}
      <KeyHints
        items={keyHints}
        note={records && `${formatCount(records.length, 'record')}${hasNextPage ? ' and more' : ''}`}
      />
    </>
  );
}

function useRowKeys(records: readonly RolloutHistoryItem[]) {
  const router = useRouter();
  const [at, setAt] = useState<string | null>(null);
  const index = records.findIndex(({ uid }) => uid === at);
  function moveTo(next: number) {
    const record = records[Math.max(0, Math.min(records.length - 1, next))];
    if (!record) return;
    setAt(record.uid);
    focusRow('data-record', record.uid);
  }
  useShortcuts({
    j: { label: 'Next record', run: () => moveTo(index + 1) },
    k: { label: 'Previous record', run: () => moveTo(index === -1 ? 0 : index - 1) },
    enter: {
      label: 'Open it',
      run: () => {
        const record = records[index];
        if (record) router.push(rolloutHistoryPagePath(record));
      },
    },
  });
  return { at, setAt };
}
