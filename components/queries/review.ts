import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { keepPreviousRows } from '@/components/queries/keep-previous-rows';
import {
  type CommentItem,
  type CommentRequest,
  type ReviewAnswer,
  type ReviewRequest,
} from '@/lib/api/records';
import { type RolloutReport } from '@/lib/api/reports';
import { type FollowUpList, type ReviewQueue } from '@/lib/api/review';
import { recordApiPath, recordsKey } from '@/components/queries/records';

const REPORT_INTERVAL_MS = 60_000;
const QUEUE_INTERVAL_MS = 30_000;

/** Rules of an address, named as in the API. */
export type ReviewFilters = Partial<Record<'namespace' | 'team' | 'only' | 'restarts' | 'age', string>>;

/** Records that wait for a verdict, latest first, page by page. */
export function reviewQueueQuery(filters: ReviewFilters) {
  return infiniteQueryOptions({
    queryKey: [...recordsKey, 'queue', filters],
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams(filters);
      if (pageParam !== '') query.set('cursor', pageParam);
      return apiFetch<ReviewQueue>(`/api/review?${query}`, { signal });
    },
    initialPageParam: '',
    getNextPageParam: (page: ReviewQueue) => page.nextCursor,
    staleTime: 0,
    refetchInterval: QUEUE_INTERVAL_MS,
    placeholderData: keepPreviousRows,
  });
}

/** Open follow-ups, the earliest due date first. */
export function followUpsQuery() {
  return queryOptions({
    queryKey: [...recordsKey, 'follow-ups'],
    queryFn: ({ signal }) => apiFetch<FollowUpList>('/api/review/follow-ups', { signal }),
    staleTime: 0,
    refetchInterval: QUEUE_INTERVAL_MS,
  });
}

export interface ReportChoice {
  /** `7d`: seven days back from now; or a time. */
  from: string;
  /** Absent: now. */
  to?: string;
  by: 'namespace' | 'team';
}

/** The figures of a period; with `rows` each of its rollouts too. */
export function reportQuery(choice: ReportChoice, rows = false) {
  return queryOptions({
    queryKey: [...recordsKey, 'report', choice.from, choice.to, choice.by, rows],
    queryFn: ({ signal }) =>
      apiFetch<RolloutReport>(`${reportPath(choice)}${rows ? '&rows=1' : ''}`, { signal }),
    staleTime: 0,
    refetchInterval: REPORT_INTERVAL_MS,
    placeholderData: keepPreviousData,
  });
}

/** Address of a report, also for its download as a file. */
export function reportPath({ from, to, by }: ReportChoice, format?: 'json' | 'csv' | 'md'): string {
  const query = new URLSearchParams({ from, ...(to !== undefined && { to }), by });
  if (format !== undefined) query.set('format', format);
  if (format === 'json') query.set('rows', '1');
  return `/api/reports?${query}`;
}

/**
 * Saves a verdict. Rejects with `conflict`, the current review in `details.review`, where another reviewer saved
 * first.
 */
export function sendVerdict(id: string, body: ReviewRequest, idempotencyKey: string): Promise<ReviewAnswer> {
  return apiFetch<ReviewAnswer>(recordApiPath(id, '/review'), { method: 'PUT', body, idempotencyKey });
}

export function sendComment(id: string, body: CommentRequest, idempotencyKey: string): Promise<CommentItem> {
  return apiFetch<CommentItem>(recordApiPath(id, '/comments'), { method: 'POST', body, idempotencyKey });
}

export function sendCommentEdit(id: string, commentId: string, body: string): Promise<CommentItem> {
  return apiFetch<CommentItem>(recordApiPath(id, `/comments/${encodeURIComponent(commentId)}`), {
    method: 'PUT',
    body: { body },
  });
}
