import { type InfiniteData, keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import type { RolloutReport } from '@/lib/api/reports';
import { apiFetch, apiPath } from '@/components/queries/client';
import { pagedQuery } from '@/components/queries/paged-query';
import type {
  BulkReviewAnswer,
  BulkReviewRequest,
  CommentItem,
  CommentRequest,
  ReviewAnswer,
  ReviewRequest,
} from '@/lib/api/review';
import type { ReviewQueue } from '@/lib/api/review-queue';
import type { QueryOf } from '@/lib/api/routes';
import type { ClusterFilter } from '@/components/queries/cluster';
import { recordsKey } from '@/components/queries/records';

const REPORT_INTERVAL_MS = 60_000;
const QUEUE_INTERVAL_MS = 30_000;
/** As many as an answer can have: the order and the selection of the page are those of what is loaded. */
const QUEUE_PAGE = 200;

const queueKey = [...recordsKey, 'queue'] as const;

/** Rules of an address, named as in the API. */
export type ReviewFilters = Omit<QueryOf<'GET /api/review'>, 'limit' | 'cursor'>;

/** Records that wait for a verdict, latest first, page by page. */
export function reviewQueueQuery(filters: ReviewFilters) {
  return pagedQuery(
    [...queueKey, filters],
    ({ cursor, signal }) =>
      apiFetch('GET /api/review', { query: { ...filters, limit: QUEUE_PAGE, cursor }, signal }),
    QUEUE_INTERVAL_MS,
  );
}

/** Removes records that have a verdict now from every loaded queue, before the next answer does. */
export function dropQueued(client: QueryClient, ...ids: readonly string[]): void {
  client.setQueriesData<InfiniteData<ReviewQueue>>(
    { queryKey: queueKey },
    (data) =>
      data && {
        ...data,
        pages: data.pages.map((page) => ({
          ...page,
          items: page.items.filter(({ id }) => !ids.includes(id)),
        })),
      },
  );
}

/** Open follow-ups, the earliest due date first; `assignee`: those of the viewer alone. */
export function followUpsQuery(place: ClusterFilter, assignee?: 'me') {
  return queryOptions({
    queryKey: [...recordsKey, 'follow-ups', place, assignee],
    queryFn: ({ signal }) =>
      apiFetch('GET /api/review/follow-ups', { query: { ...place, assignee }, signal }),
    staleTime: 0,
    refetchInterval: QUEUE_INTERVAL_MS,
    placeholderData: keepPreviousData,
  });
}

export interface ReportChoice extends ClusterFilter {
  /** `7d`: seven days back from now; or a time. */
  from: string;
  /** Absent: now. */
  to?: string;
  by: RolloutReport['by'];
  /** In which days begin. Absent: UTC. */
  timeZone?: string;
}

/** The figures of a period; with `rows` each of its rollouts too. */
export function reportQuery(choice: ReportChoice, rows = false) {
  return queryOptions({
    queryKey: [...recordsKey, 'report', choice, rows],
    queryFn: ({ signal }) =>
      apiFetch('GET /api/reports', { query: { ...choice, rows: rows ? '1' : undefined }, signal }),
    staleTime: 0,
    refetchInterval: REPORT_INTERVAL_MS,
    placeholderData: keepPreviousData,
  });
}

/** Address of a report as a file. */
export function reportPath(choice: ReportChoice, format: 'json' | 'csv' | 'md'): string {
  const query = { ...choice, format, rows: format === 'json' ? ('1' as const) : undefined };
  return apiPath('GET /api/reports', { query });
}

/**
 * Saves a verdict. Rejects with `conflict`, the current review in `details.review`, where another reviewer saved
 * first.
 */
export function sendVerdict(id: string, body: ReviewRequest, idempotencyKey: string): Promise<ReviewAnswer> {
  return apiFetch('PUT /api/records/{id}/review', { params: { id }, body, idempotencyKey });
}

/** Saves one verdict on several records; the answer says of each whether it was saved. */
export function sendVerdicts(body: BulkReviewRequest, idempotencyKey: string): Promise<BulkReviewAnswer> {
  return apiFetch('PUT /api/review', { body, idempotencyKey });
}

export function sendComment(id: string, body: CommentRequest, idempotencyKey: string): Promise<CommentItem> {
  return apiFetch('POST /api/records/{id}/comments', { params: { id }, body, idempotencyKey });
}

export function sendCommentEdit(id: string, comment: string, body: string): Promise<CommentItem> {
  return apiFetch('PUT /api/records/{id}/comments/{comment}', { params: { id, comment }, body: { body } });
}
