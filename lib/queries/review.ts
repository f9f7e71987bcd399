import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/lib/api/client';
import {
  type CommentItem,
  type CommentRequest,
  type ReviewAnswer,
  type ReviewRequest,
} from '@/lib/api/records';
import { type Report } from '@/lib/api/reports';
import { recordApiPath, recordsKey } from '@/lib/queries/records';

const REPORT_INTERVAL_MS = 60_000;

export interface ReportChoice {
  /** `7d`: that long back from now. */
  from: string;
  by: 'namespace' | 'team';
}

/** The figures of a period that ends now. */
export function reportQuery(choice: ReportChoice) {
  return queryOptions({
    queryKey: [...recordsKey, 'report', choice.from, choice.by],
    queryFn: ({ signal }) => apiFetch<Report>(reportPath(choice), { signal }),
    staleTime: 0,
    refetchInterval: REPORT_INTERVAL_MS,
    placeholderData: keepPreviousData,
  });
}

/** Address of a report, also for taking it along as a file. */
export function reportPath({ from, by }: ReportChoice, format?: 'json' | 'csv' | 'md'): string {
  const query = new URLSearchParams({ from, by });
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
