'use client';

import dynamic from 'next/dynamic';
import { useMemo, useState } from 'react';
import { Button } from '@/components/ui/button';
import { usePhone } from '@/components/ui/media';
import { SectionHead } from '@/components/ui/section-head';
import { Segmented } from '@/components/ui/segmented';
import { Skeleton } from '@/components/ui/skeleton';
import { useNow } from '@/components/ui/time';
import { timelineRevisions } from '@/components/timeline/timeline-revisions';
import { type EventItem, type PodItem, type WorkloadDetail } from '@/lib/api/workloads';
import { lanesOf } from '@/lib/timeline/lanes';
import { fittingStretch, HOUR_MS, type StretchName } from '@/lib/timeline/stretch';

/** The drawing comes when the words are there: nobody waits for it to read the sentence. */
const TimelineDrawing = dynamic(
  async () => (await import('@/components/timeline/timeline-drawing')).TimelineDrawing,
  { ssr: false, loading: () => <Skeleton width="100%" height={180} /> },
);

/** What moves on the drawing moves by less than a pixel in this time. */
const TICK_MS = 10_000;
const LANES_SHOWN = { desk: 14, phone: 3 };

/** The history over time: a lane for each revision. `stretch` is null until somebody chose one. */
export function TimelineSection({
  detail,
  pods,
  events,
  stretch,
  onStretch,
  pointed,
  onPoint,
  onSelect,
  stale,
}: {
  detail: WorkloadDetail;
  pods: readonly PodItem[];
  events: readonly EventItem[];
  stretch: StretchName | null;
  onStretch: (stretch: StretchName) => void;
  pointed: string | null;
  onPoint: (revisionId: string | null) => void;
  onSelect: (revisionId: string) => void;
  /** Time stands still at what was observed last. */
  stale: boolean;
}) {
  const isPhone = usePhone();
  const clockMs = useNow(TICK_MS) + TICK_MS;
  const nowMs = stale ? Date.parse(detail.observedAt) : clockMs;
  const [all, setAll] = useState(false);
  const lanes = useMemo(
    () => lanesOf(timelineRevisions(detail.revisions, pods), nowMs),
    [detail.revisions, pods, nowMs],
  );
  const fitting = fittingStretch(Math.min(lanes.earliestMs, Date.parse(detail.workload.createdAt)), nowMs);
  const chosen = stretch ?? (isPhone && hasRecentChange(detail, nowMs) ? '1h' : fitting);
  const lanesMax = all ? Infinity : isPhone ? LANES_SHOWN.phone : LANES_SHOWN.desk;
  const hidden = lanes.lanes.length - lanesMax;

  return (
    <section aria-labelledby="timeline" className="pt-[22px]">
      <SectionHead
        id="timeline"
        title="Timeline"
        remark="a lane per revision, a bar per activation"
        end={
          <Segmented label="Stretch of time" value={chosen} onChange={onStretch} options={options(isPhone)} />
        }
        className="mb-1"
      />
      <TimelineDrawing
        detail={detail}
        lanes={lanes}
        events={events}
        stretch={chosen}
        nowMs={nowMs}
        lanesMax={lanesMax}
        compact={isPhone}
        pointed={pointed}
        onPoint={onPoint}
        onSelect={onSelect}
      />
      {hidden > 0 && (
        <Button size="small" tone="quiet" onClick={() => setAll(true)} className="mt-1 -ml-2">
          Show all {lanes.lanes.length} revisions
        </Button>
      )}
    </section>
  );
}

function options(isPhone: boolean) {
  return [
    { value: '1h', label: '1 h' },
    { value: '24h', label: '24 h' },
    { value: '7d', label: '7 d' },
    { value: '3w', label: isPhone ? '3 w' : '3 w + 1 h' },
    { value: 'all', label: 'All' },
  ] as const;
}

function hasRecentChange({ revisions }: WorkloadDetail, nowMs: number): boolean {
  return revisions.some(({ activations }) =>
    activations.some(({ from, fromNotAfter }) => Date.parse(from ?? fromNotAfter ?? '') > nowMs - HOUR_MS),
  );
}
