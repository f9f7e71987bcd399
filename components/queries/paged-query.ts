import { infiniteQueryOptions, type QueryKey } from '@tanstack/react-query';

interface Page {
  items: readonly unknown[];
  nextCursor: string | null;
}

interface PageRequest {
  cursor: string | undefined;
  signal: AbortSignal;
}

/**
 * A list page by page. While other filters load, the previous rows stay. A `refetchInterval`, in milliseconds, is for what
 * the stream does not report.
 */
export function pagedQuery<List extends Page>(
  queryKey: QueryKey,
  fetchPage: (request: PageRequest) => Promise<List>,
  refetchInterval?: number,
) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => fetchPage({ cursor: pageParam || undefined, signal }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousRows,
    ...(refetchInterval !== undefined && { staleTime: 0, refetchInterval }),
  });
}

/** The previous rows, unless there were none: "Nothing matches" is said of the present filters alone. */
export function keepPreviousRows<Pages extends { pages: readonly Pick<Page, 'items'>[] }>(
  previous: Pages | undefined,
): Pages | undefined {
  return previous?.pages.some(({ items }) => items.length > 0) === true ? previous : undefined;
}
