import { AbsoluteTime } from '@/components/ui/time';
import type { ReviewItem } from '@/lib/api/review';
import { formatCalendarDay } from '@/lib/format/day-text';
import { VerdictTag } from '@/components/shared/verdict-tag';

/** The team's verdict in one line: what readers of a permalink look for first. */
export function VerdictLine({ review }: { review: ReviewItem }) {
  const { verdict, by, at, followUp } = review;
  if (verdict === null)
    return (
      <p className="pt-2 text-ink-3">
        No verdict yet.{' '}
        <a href="#verdict" className="text-accent underline print:hidden">
          Add a verdict
        </a>
      </p>
    );
  return (
    <p className="flex flex-wrap items-baseline gap-x-2 gap-y-1 pt-2">
      <VerdictTag verdict={verdict} />
      {by !== null && <span className="isolate [overflow-wrap:anywhere]">by {by}</span>}
      {at !== null && <AbsoluteTime iso={at} className="text-small text-ink-3" />}
      {followUp !== null && (
        <span className="[overflow-wrap:anywhere]">
          Assigned to <b className="isolate">{followUp.person}</b>, due {formatCalendarDay(followUp.due)}
        </span>
      )}
    </p>
  );
}
