'use client';

import { useQuery } from '@tanstack/react-query';
import { useQueryState } from 'nuqs';
import { clsx } from 'clsx';
import { Waiting } from '@/components/shared/waiting';
import { ClusterTag } from '@/components/shared/cluster-tag';
import { Chip } from '@/components/ui/chip';
import { MiddleEllipsis } from '@/components/ui/middle-ellipsis';
import { Avatar } from '@/components/ui/avatar';
import { Glyph } from '@/components/ui/glyph';
import { TextLink } from '@/components/ui/link';
import { useNow } from '@/components/ui/time';
import { assigneeParser } from '@/components/review/review-address';
import { inDays } from '@/components/review/verdict-draft';
import type { FollowUpList as FollowUpAnswer, QueuedRecord } from '@/lib/api/review-queue';
import { formatCalendarDay } from '@/lib/format/day-text';
import { followUpsQuery } from '@/components/queries/review';
import { useClusterFilter } from '@/components/shared/cluster-filter';

const MINUTE_MS = 60_000;
const SHOWN_MAX = 8;

/** Open follow-ups with assignee and due date, overdue ones first. A later verdict closes a follow-up. */
export function FollowUps(props: { current: string | null; onChoose: (id: string) => void }) {
  const place = useClusterFilter();
  const [assignee, setAssignee] = useQueryState('assignee', assigneeParser);
  const { data, error, refetch } = useQuery(followUpsQuery(place, assignee ?? undefined));
  return (
    <Waiting
      answer={{ data, error }}
      loading={null}
      onRetry={() => void refetch()}
      title="Could not load follow-ups"
      className="mt-4"
    >
      {(followUps) => (
        <>
          {followUps.total > 0 && (
            <FollowUpList
              {...props}
              {...followUps}
              isOwn={assignee === 'me'}
              onOwn={(isOwn) => void setAssignee(isOwn ? 'me' : null, { history: 'push', scroll: false })}
            />
          )}
          {followUps.assignedToMe !== null && (
            <p className="mt-2 text-small">
              <TextLink href="/records?mentions=me">Comments that mention you</TextLink>
            </p>
          )}
        </>
      )}
    </Waiting>
  );
}

function FollowUpList({
  items,
  total,
  assignedToMe,
  isOwn,
  onOwn,
  current,
  onChoose,
}: Pick<FollowUpAnswer, 'items' | 'total' | 'assignedToMe'> & {
  isOwn: boolean;
  onOwn: (isOwn: boolean) => void;
  current: string | null;
  onChoose: (id: string) => void;
}) {
  const today = inDays(0, new Date(useNow(MINUTE_MS)));
  const overdue = items.filter((record) => dueOf(record) < today).length;
  const count = isOwn ? (assignedToMe ?? 0) : total;
  return (
    <section aria-labelledby="follow-ups-title" className="mt-4 border-t border-hair pt-3">
      <h2
        id="follow-ups-title"
        className="flex items-baseline gap-2 pb-1.5 text-lead font-semibold tracking-[-0.011em]"
      >
        <span>
          Follow-ups <span className="font-normal text-ink-3">{count}</span>
        </span>
        {overdue > 0 && <span className="text-small font-normal text-stuck">{overdue} overdue</span>}
      </h2>
      {(assignedToMe !== null || isOwn) && (
        <p className="pb-1">
          <Chip pressed={isOwn} count={assignedToMe ?? 0} onClick={() => onOwn(!isOwn)}>
            Assigned to me
          </Chip>
        </p>
      )}
      {items.length === 0 && <p className="text-small text-ink-3">No open follow-up is assigned to you.</p>}
      <ol className="desk:-ml-2.5">
        {items.slice(0, SHOWN_MAX).map((record) => (
          <li key={record.id}>
            <button
              type="button"
              aria-current={record.id === current || undefined}
              onClick={() => onChoose(record.id)}
              className={clsx(
                'grid w-full grid-cols-[14px_minmax(0,1fr)_auto] items-center gap-x-2 rounded-3 px-2.5 py-1.5 focus-visible:-outline-offset-2 max-desk:min-h-11',
                record.id === current ? 'bg-selected' : 'hover:bg-hover',
              )}
            >
              <Glyph name="note" className={dueOf(record) < today ? 'text-stuck' : 'text-held'} />
              <span className="flex min-w-0 items-baseline gap-x-1.5">
                <b className="flex max-w-[75%] flex-none">
                  <MiddleEllipsis text={record.workload.name} />
                </b>
                <Avatar name={record.review.followUp?.person ?? ''} className="self-center" />
                <bdi className="min-w-0 truncate text-small text-ink-3">{record.review.followUp?.person}</bdi>
                <ClusterTag cluster={record.workload.cluster} className="flex-none" />
              </span>
              <span
                className={clsx('text-[11px]', dueOf(record) < today ? 'text-stuck' : 'text-ink-3')}
                title={`Due ${formatCalendarDay(dueOf(record))}`}
              >
                {formatDue(dueOf(record), today)}
              </span>
            </button>
          </li>
        ))}
      </ol>
      {count > SHOWN_MAX && <p className="pt-1 text-small text-ink-3">{count - SHOWN_MAX} more, due later</p>}
    </section>
  );
}

function dueOf({ review }: QueuedRecord): string {
  return review.followUp?.due ?? '';
}

/** "Today", "In 3 d", "4 d overdue": calendar days. */
function formatDue(due: string, today: string): string {
  const days = Math.round((Date.parse(due) - Date.parse(today)) / 86_400_000);
  if (days === 0) return 'Today';
  return days > 0 ? `In ${days} d` : `${-days} d overdue`;
}
