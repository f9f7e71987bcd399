import { useState } from 'react';
import { AbsoluteTime } from '@/components/ui/time';
import { type ReviewItem, type VerdictItem } from '@/lib/api/records';
import { dayText } from '@/lib/format/day-text';
import { verdictWords } from '@/lib/ledger/report-text';

/** The verdict that stands; those before it when asked for. */
export function Standing({ review }: { review: ReviewItem }) {
  const [open, setOpen] = useState(false);
  const { verdict, by, at, followUp, history } = review;
  if (verdict === null) return <span className="text-small text-ink-3">none yet</span>;
  return (
    <span className="min-w-0 text-small text-ink-2">
      <Said verdict={{ verdict, by, at, followUp }} />
      {history.length > 0 && (
        <>
          {' '}
          <button
            type="button"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
            className="rounded-2 text-ink-3 underline decoration-line-2 hover:text-ink"
          >
            {open ? 'hide' : 'show'} {history.length} before
          </button>
        </>
      )}
      {open && (
        <ol aria-label="Verdicts before" className="mt-0.5">
          {history.toReversed().map((before) => (
            <li key={before.at} className="text-ink-3">
              <Said verdict={before} />
            </li>
          ))}
        </ol>
      )}
    </span>
  );
}

type Given = Pick<VerdictItem, 'verdict' | 'followUp'> & { by: string | null; at: string | null };

function Said({ verdict: { verdict, by, at, followUp } }: { verdict: Given }) {
  return (
    <>
      {verdictWords[verdict]}, by <bdi>{by}</bdi>
      {at !== null && (
        <>
          {' '}
          <AbsoluteTime iso={at} className="text-ink-3" />
        </>
      )}
      {followUp !== null && (
        <>
          ; <bdi>{followUp.person}</bdi> until {dayText(followUp.due)}
        </>
      )}
    </>
  );
}
