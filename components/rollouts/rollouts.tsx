'use client';

import { useCallback, useMemo, useState } from 'react';
import { useRouter } from 'next/navigation';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useQueryStates } from 'nuqs';
import { filtersOf, hasFilters, noFilters, rolloutsParsers } from '@/components/rollouts/rollouts-address';
import { RolloutsFilterBar } from '@/components/rollouts/rollouts-filter-bar';
import { nameKey } from '@/lib/kube/name-key';
import { RolloutsTable } from '@/components/rollouts/rollouts-table';
import { isOpen } from '@/components/rollouts/rollout-labels';
import { Button } from '@/components/ui/button';
import { saveDraft, readDraft } from '@/components/ui/draft';
import { EmptyState } from '@/components/ui/empty-state';
import { ErrorState } from '@/components/ui/error-state';
import { TextLink } from '@/components/ui/link';
import { KeyHints } from '@/components/ui/key-hints';
import { PartialNotice } from '@/components/shared/partial-notice';
import { useShortcuts } from '@/components/ui/shortcuts';
import { SkeletonRows } from '@/components/ui/skeleton';
import { useConnection } from '@/components/ui/connection';
import { StaleNotice } from '@/components/ui/stale-notice';
import { useHeight } from '@/components/ui/use-width';
import { focusRow } from '@/components/ui/use-focus-selection';
import { type RolloutItem } from '@/lib/api/rollouts';
import { rolloutPagePath, rolloutsQuery } from '@/components/queries/rollouts';
import { formatCount } from '@/lib/format/text';

const keyHints = [
  { keys: ['j', 'k'], label: 'move' },
  { keys: ['↵'], label: 'open' },
  { keys: ['f'], label: 'filter' },
];

/** Every progressive rollout, those in progress first. The address holds the filters. */
export function Rollouts() {
  const [address, setAddress] = useQueryStates(rolloutsParsers);
  const change = useCallback(
    (values: Partial<typeof address>) => void setAddress(values, { history: 'push' }),
    [setAddress],
  );
  const filters = useMemo(() => filtersOf(address), [address]);
  const query = useInfiniteQuery(rolloutsQuery(filters));
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage, isPlaceholderData } = query;
  const last = data?.pages.at(-1);
  const { unread } = useConnection();
  const rollouts = useMemo(() => data?.pages.flatMap(({ items }) => items).toSorted(byUrgency), [data]);
  const known = useFilterOptions(rollouts);
  const { ref, height } = useHeight();
  const { at, select } = useSelected();
  useRowKeys(rollouts ?? [], at, select, () => change(noFilters));

  return (
    <>
      <h1 className="sr-only">Rollouts</h1>
      <StaleNotice onRetry={() => void refetch()} className="mt-3" />
      <div ref={ref} className="bg-canvas desk:sticky desk:top-(--top) desk:z-4">
        <RolloutsFilterBar
          address={address}
          onChange={change}
          counts={unread ? undefined : last?.counts}
          namespaces={known.namespaces}
          systems={known.systems}
          end={
            <TextLink href="/rollout-histories" className="flex-none py-1 text-small max-desk:py-2">
              RolloutHistory records
            </TextLink>
          }
        />
      </div>
      {!unread &&
        last?.partial.map((part) => (
          <PartialNotice
            key={`${part.resource} ${part.reason}`}
            part={part}
            missing="Not everything is here."
            className="mb-2"
          />
        ))}
      {error !== null && (
        <ErrorState
          error={error}
          title={rollouts === undefined ? undefined : 'There is no newer answer; this is what was read last'}
          onRetry={() => void refetch()}
          className="mt-3"
        />
      )}
      {rollouts === undefined ? (
        error === null && <SkeletonRows rows={12} label="Reading the rollouts" rowHeight={31} />
      ) : unread ? null : rollouts.length === 0 ? (
        <NoRollouts
          served={last?.served ?? true}
          filtered={hasFilters(address)}
          onClear={() => change(noFilters)}
        />
      ) : (
        <div aria-busy={isPlaceholderData} className={isPlaceholderData ? 'opacity-50' : undefined}>
          <RolloutsTable rollouts={rollouts} current={at} stickyPx={height} onSelect={select} />
          {hasNextPage && (
            <div className="flex justify-center py-4">
              <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                {isFetchingNextPage ? 'Reading …' : 'Show more'}
              </Button>
            </div>
          )}
        </div>
      )}
      <KeyHints
        items={keyHints}
        note={
          rollouts && !unread && `${formatCount(rollouts.length, 'rollout')}${hasNextPage ? ' and more' : ''}`
        }
      />
    </>
  );
}

/** What needs a person, then what progresses, then the rest; each in the order of the answer. */
function byUrgency(a: RolloutItem, b: RolloutItem): number {
  return rank(a) - rank(b);
}

function rank({ state }: RolloutItem): number {
  if (state === 'failed' || state === 'stalled') return 0;
  if (state === 'waiting') return 1;
  if (isOpen(state)) return 2;
  return state === 'idle' ? 4 : 3;
}

/** Options of the menus: every value of this visit, whatever the current filters are. */
function useFilterOptions(rollouts: readonly RolloutItem[] | undefined) {
  const [known, setKnown] = useState({ namespaces: [] as string[], systems: [] as string[] });
  const namespaces = mergeOptions(
    known.namespaces,
    rollouts?.map(({ namespace }) => namespace),
  );
  const systems = mergeOptions(
    known.systems,
    rollouts?.map(({ system }) => system),
  );
  if (namespaces !== known.namespaces || systems !== known.systems) setKnown({ namespaces, systems });
  return known;
}

function mergeOptions(known: string[], seen: readonly string[] = []): string[] {
  const all = new Set([...known, ...seen]);
  return all.size === known.length ? known : [...all];
}

/** The rollout that was opened last: the selection after going back. */
const SELECTED_ROLLOUT_KEY = 'rollouts.last';

function useSelected() {
  const [at, setAt] = useState(() => readDraft(SELECTED_ROLLOUT_KEY) ?? '');
  const select = useCallback((key: string) => {
    setAt(key);
    saveDraft(SELECTED_ROLLOUT_KEY, key);
  }, []);
  return { at, select };
}

function useRowKeys(
  rollouts: readonly RolloutItem[],
  at: string,
  select: (key: string) => void,
  onClear: () => void,
): void {
  const router = useRouter();
  const index = rollouts.findIndex((rollout) => nameKey(rollout) === at);
  function moveTo(next: number) {
    const rollout = rollouts[Math.max(0, Math.min(rollouts.length - 1, next))];
    if (!rollout) return;
    select(nameKey(rollout));
    focusRow('data-rollout', nameKey(rollout));
  }
  useShortcuts({
    j: { label: 'Next rollout', run: () => moveTo(index + 1) },
    k: { label: 'Previous rollout', run: () => moveTo(index === -1 ? 0 : index - 1) },
    enter: {
      label: 'Open it',
      run: () => {
        const rollout = rollouts[index];
        if (rollout) router.push(rolloutPagePath(rollout));
      },
    },
    f: {
      label: 'To the filters',
      run: () => document.querySelector<HTMLElement>('[data-first-chip]')?.focus(),
    },
    escape: { label: 'Clear the filters', run: onClear },
  });
}

function NoRollouts({
  served,
  filtered,
  onClear,
}: {
  served: boolean;
  filtered: boolean;
  onClear: () => void;
}) {
  if (filtered)
    return (
      <EmptyState
        title="No rollout matches"
        glyph="search"
        className="mt-3"
        actions={
          <Button size="small" onClick={onClear}>
            Clear filters
          </Button>
        }
      >
        There are rollouts of other states or in other namespaces.
      </EmptyState>
    );
  return served ? (
    <EmptyState title="Nothing is released in steps" glyph="list" className="mt-3">
      The cluster knows OpenKruise Rollouts, but there is none that you may see. One that is created shows
      here at once.
    </EmptyState>
  ) : (
    <EmptyState title="No system that releases in steps is installed" glyph="plug" className="mt-3">
      Shiplog knows OpenKruise Rollouts (<span className="literal">rollouts.rollouts.kruise.io</span>); this
      cluster does not serve them. Rollouts of Deployments, StatefulSets and DaemonSets stand in the fleet and
      the timeline.
    </EmptyState>
  );
}
