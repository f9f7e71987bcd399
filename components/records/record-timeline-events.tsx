'use client';

import { useState } from 'react';
import { SectionHead } from '@/components/ui/section-head';
import { AbsoluteTime } from '@/components/ui/time';
import type { RecordAnswer } from '@/lib/api/records';
import { listTimelineEvents } from '@/lib/view/timeline-events';

const SHOWN_MAX = 12;

/** Timeline events in the order of time. */
export function RecordTimelineEvents({ record }: { record: RecordAnswer }) {
  const [isExpanded, setExpanded] = useState(false);
  const lines = listTimelineEvents(record);
  if (lines.length === 0) return null;
  const shown = isExpanded || lines.length <= SHOWN_MAX + 2 ? lines : lines.slice(0, SHOWN_MAX);
  return (
    <section aria-labelledby="happenings-title" className="pt-6">
      <SectionHead id="happenings-title" title="Events" remark="recorded" className="pb-1.5" />
      <ol className="border-t border-line">
        {shown.map((line, index) => (
          <li
            key={index}
            className="grid min-h-[27px] grid-cols-[74px_minmax(0,1fr)_auto] items-baseline gap-x-3 border-b border-hair py-1 max-desk:grid-cols-[66px_minmax(0,1fr)]"
          >
            <AbsoluteTime iso={line.at} form="clock" className="text-small text-ink-3" />
            <span
              className={`[overflow-wrap:anywhere] ${line.tone === 'bad' ? 'text-stuck' : line.tone === 'held' ? 'text-held' : 'text-ink-2'}`}
            >
              {line.text}
            </span>
            <span className="text-small text-ink-3 max-desk:col-start-2">{line.note}</span>
          </li>
        ))}
      </ol>
      {shown.length < lines.length && (
        <button
          type="button"
          onClick={() => setExpanded(true)}
          className="min-h-[29px] text-small text-accent hover:underline max-desk:min-h-11"
        >
          Show {lines.length - shown.length} more
        </button>
      )}
    </section>
  );
}
