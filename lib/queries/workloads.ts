import { infiniteQueryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/lib/api/client';
import { type WorkloadList } from '@/lib/api/workloads';

/** The first page is on screen at once; the others are big, since what they cost is mostly the asking. */
const FIRST_PAGE = 500;
const NEXT_PAGE = 2_500;

/** Every workload that the viewer may see, page after page. The page filters them itself, without asking again. */
export function workloadsQuery() {
  return infiniteQueryOptions({
    queryKey: ['workloads', 'all'],
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams({ limit: String(pageParam === '' ? FIRST_PAGE : NEXT_PAGE) });
      if (pageParam !== '') query.set('cursor', pageParam);
      return apiFetch<WorkloadList>(`/api/workloads?${query}`, { signal });
    },
    initialPageParam: '',
    getNextPageParam: (page: WorkloadList) => page.nextCursor,
    // Comparing thousands of rows with those before costs more than drawing the few that are in sight.
    structuralSharing: false,
  });
}
