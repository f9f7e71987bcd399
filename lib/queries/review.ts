import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/lib/api/client';
import {
  type CommentItem,
  type CommentRequest,
  type ReviewAnswer,
  type ReviewRequest,
} from '@/lib/api/records';
import { type Report } from '@/lib/api/reports';
import { type FollowUpList, type ReviewQueue } from '@/lib/api/review';
import { recordApiPath, recordsKey } from '@/lib/queries/records';

const REPORT_INTERVAL_MS = 60_000;
const QUEUE_INTERVAL_MS = 30_000;

/** Rules that an address names, as in the API. */
export type ReviewFilters = Partial<Record<'namespace' | 'team' | 'only' | 'restarts' | 'age', string>>;

/** What waits for a verdict, latest first, page after page. */
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
    placeholderData: keepPreviousData,
  });
}

/** Follow-ups that nobody has closed, the one due first in front. */
export function followUpsQuery() {
  return queryOptions({
    queryKey: [...recordsKey, 'follow-ups'],
    queryFn: ({ signal }) => apiFetch<FollowUpList>('/api/review/follow-ups', { signal }),
    staleTime: 0,
    refetchInterval: QUEUE_INTERVAL_MS,
  });
}

export interface ReportChoice {
  /** `7d`: that long back from now; or a time. */
  from: string;
  /** Absent: now. */
  to?: string;
  by: 'namespace' | 'team';
}

/** The figures of a period; `rows`: each rollout of it, too. */
export function reportQuery(choice: ReportChoice, rows = false) {
  return queryOptions({
    queryKey: [...recordsKey, 'report', choice.from, choice.to, choice.by, rows],
    queryFn: ({ signal }) => apiFetch<Report>(`${reportPath(choice)}${rows ? '&rows=1' : ''}`, { signal }),
    staleTime: 0,
    refetchInterval: REPORT_INTERVAL_MS,
    placeholderData: keepPreviousData,
  });
}

/** Address of a report, also for taking it along as a file. */
export function reportPath({ from, to, by }: ReportChoice, format?: 'json' | 'csv' | 'md'): string {
  const query = new URLSearchParams({ from, ...(to !== undefined && { to }), by });
  if (format !== undefined) query.set('format', format);
  if (format === 'json') query.set('rows', '1');
  return `/api/reports?${query}`;
}

/** Gives a verdict. Rejects with `conflict`, the present review in `details.review`, where somebody was quicker. */
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
