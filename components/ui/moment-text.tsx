'use client';

import { useTimeFrame } from '@/components/ui/time';
import { formatFull } from '@/lib/format/time';
import { type Moment, formatMoment } from '@/lib/format/moment';

/**
 * A time as precisely as it is known: "14:06", "by 14:06", "29–31 Aug", "unknown"; the title has the details.
 */
export function MomentText({
  moment,
  form = 'day',
  className,
}: {
  moment: Moment;
  form?: 'day' | 'short';
  className?: string;
}) {
  const frame = useTimeFrame();
  const text = formatMoment(moment, frame, form);
  const title = describeMoment(moment, frame.timeZone);
  if (moment.kind === 'at') {
    return (
      <time dateTime={new Date(moment.ms).toISOString()} title={title} className={className}>
        {text}
      </time>
    );
  }
  return (
    <span title={title} className={className ?? 'text-ink-3'}>
      {text}
    </span>
  );
}

function describeMoment(moment: Moment, timeZone: string): string {
  const full = (ms: number) => formatFull(ms, timeZone);
  switch (moment.kind) {
    case 'at':
      return full(moment.ms);
    case 'between':
      return `Exact time unknown: between ${full(moment.fromMs)} and ${full(moment.toMs)}`;
    case 'by':
      return `Exact time unknown: not later than ${full(moment.ms)}`;
    case 'since':
      return `Exact time unknown: not earlier than ${full(moment.ms)}`;
    case 'unknown':
      return 'The cluster does not record this time';
    default:
      return moment satisfies never;
  }
}
