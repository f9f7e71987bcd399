import { useState } from 'react';
import { Avatar } from '@/components/ui/avatar';
import { AbsoluteTime } from '@/components/ui/time';
import type { ReviewItem, VerdictItem } from '@/lib/api/review';
import { formatCalendarDay } from '@/lib/format/day-text';
import { verdictLabels } from '@/lib/view/report-text';

/** The current verdict, and the earlier ones on request. */
export function CurrentVerdict({ review }: { review: ReviewItem }) {
  const [open, setOpen] = useState(false);
  const { verdict, by, at, followUp, history } = review;
  if (verdict === null) return <span className="text-small text-ink-3">None yet</span>;
  return (
    <span className="min-w-0 text-small text-ink-2">
      <VerdictLine verdict={{ verdict, by, at, followUp }} />
      {history.length > 0 && (
        <>
          {' '}
          <button
            type="button"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
            className="rounded-2 text-ink-3 underline decoration-line-2 hover:text-ink"
          >
            {open ? 'Hide' : 'Show'} history ({history.length})
          </button>
        </>
      )}
      {open && (
        <ol aria-label="Verdict history" className="mt-0.5">
          {history.toReversed().map((before) => (
            <li key={before.at} className="text-ink-3">
              <VerdictLine verdict={before} />
            </li>
          ))}
        </ol>
      )}
    </span>
  );
}

type SignedVerdict = Pick<VerdictItem, 'verdict' | 'followUp'> & { by: string | null; at: string | null };

function VerdictLine({ verdict: { verdict, by, at, followUp } }: { verdict: SignedVerdict }) {
  return (
    <>
      {verdictLabels[verdict]} by <Avatar name={by ?? ''} className="mr-1" />
      <bdi>{by}</bdi>
      {at !== null && (
        <>
          {' '}
          <AbsoluteTime iso={at} className="text-ink-3" />
        </>
      )}
      {followUp !== null && (
        <>
          , assigned to <Avatar name={followUp.person} className="mr-1" />
          <bdi>{followUp.person}</bdi>, due {formatCalendarDay(followUp.due)}
        </>
      )}
    </>
  );
}
