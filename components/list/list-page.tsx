'use client';

import { useMemo } from 'react';
import type { UseQueryStatesKeysMap } from 'nuqs';
import type { List, ListAnswer, RowOf } from '@/components/list/list';
import { useClusterFilter } from '@/components/shared/cluster-filter';
import { useListAddress } from '@/components/list/list-address';
import { ListTable } from '@/components/list/list-table';
import { filterKeys, focusRow, useRowKeys } from '@/components/list/use-row-keys';
import { useSelection } from '@/components/list/selection';
import { Waiting } from '@/components/shared/waiting';
import { Button } from '@/components/ui/button';
import { useConnection } from '@/components/ui/connection';
import { EmptyState } from '@/components/ui/empty-state';
import { FooterNote } from '@/components/ui/footer-note';
import { SkeletonRows } from '@/components/ui/skeleton';
import { useHeight } from '@/components/ui/use-width';
import { formatCount } from '@/lib/format/text';

/** A list with its filters: the rows, or why there are none. The address holds the filters. */
export function ListPage<Parsers extends UseQueryStatesKeysMap, Page extends ListAnswer, Facts>({
  list,
}: {
  list: List<Parsers, Page, Facts>;
}) {
  const filters = useListAddress(list.address);
  const place = useClusterFilter();
  const stated = useMemo(() => ({ ...filters.stated, ...place }), [filters.stated, place]);
  const answer = list.useAnswer(stated);
  const { data, error, hasNextPage, isFetchingNextPage, isPlaceholderData } = answer;
  const { unread } = useConnection();
  const isUnread = unread && list.isLive === true;
  const compare = (list.useCompare ?? useNothing)();
  const rows = useMemo(() => {
    const items = data?.pages.flatMap((page): readonly RowOf<Page>[] => page.items);
    return compare === undefined ? items : items?.toSorted(compare);
  }, [data, compare]);
  const last = isUnread ? undefined : data?.pages.at(-1);
  const facts = (list.useFacts ?? useNothing)(rows, last);
  const { ref, height } = useHeight();
  const selection = (list.useSelection ?? useSelection)();
  const retry = () => void answer.refetch();
  const loadMore = () => void answer.fetchNextPage();
  useRowKeys({
    rows: rows ?? [],
    keyOf: list.keyOf,
    noun: list.noun,
    selection,
    open: list.open ?? { href: list.href },
    onMove: focusRow,
    onEnd: () => hasNextPage && !isFetchingNextPage && loadMore(),
    more: () => (list.isSticky === true ? filterKeys(() => filters.isFiltered && filters.clear()) : {}),
  });
  const none = (page: Page) =>
    filters.isFiltered ? (
      <EmptyState
        title={`No ${list.noun}s match`}
        glyph="search"
        className="mt-3"
        actions={
          <Button size="small" onClick={filters.clear}>
            Clear filters
          </Button>
        }
      >
        {list.noMatch}
      </EmptyState>
    ) : (
      list.empty(page)
    );

  return (
    <>
      {list.head ?? (
        <div className="flex flex-wrap items-baseline gap-x-3 pt-3.5 text-small text-ink-3">
          <h1 className="text-title text-ink">{list.title}</h1>
          {list.about}
        </div>
      )}
      {list.top?.(retry)}
      <div
        ref={list.isSticky ? ref : undefined}
        className={list.isSticky ? 'bg-canvas desk:sticky desk:top-(--top) desk:z-4' : undefined}
      >
        <list.Bar filters={list.filters} list={filters} facts={facts} end={list.end} />
      </div>
      {(rows === undefined || last !== undefined) && (
        <Waiting
          answer={{ data: rows && last && { rows, last, partial: last.partial }, error }}
          loading={<SkeletonRows {...list.loading} />}
          onRetry={retry}
          missing={list.missing ?? 'Results are incomplete.'}
          none={(loaded) => loaded.rows.length === 0 && !hasNextPage && none(loaded.last)}
          className="my-3"
        >
          {(loaded) => (
            <div aria-busy={isPlaceholderData} className={isPlaceholderData ? 'opacity-50' : undefined}>
              <ListTable
                label={list.label}
                list={list}
                rows={loaded.rows}
                selected={selection.at}
                stickyTop={list.isSticky ? `calc(var(--top) + ${height}px)` : 'var(--top)'}
                onSelect={selection.select}
                onLeave={selection.leave}
              />
              {hasNextPage && (
                <div className="flex justify-center py-4">
                  <Button disabled={isFetchingNextPage} onClick={loadMore}>
                    {isFetchingNextPage ? 'Loading…' : (list.more ?? 'Show older')}
                  </Button>
                </div>
              )}
            </div>
          )}
        </Waiting>
      )}
      {error === null && last && list.bottom?.(last)}
      <FooterNote>{last && rows && noteOf(rows.length, list.noun, hasNextPage)}</FooterNote>
    </>
  );
}

function useNothing(): undefined {
  return undefined;
}

/** "First 50 records". */
function noteOf(count: number, noun: string, hasMore: boolean): string | undefined {
  return count === 0 ? undefined : `${hasMore ? 'First ' : ''}${formatCount(count, noun)}`;
}
