'use client';

import { useId, useMemo, useState } from 'react';
import { useTimeFrame } from '@/components/ui/time';
import { useHoverCard } from '@/components/ui/use-hover-card';
import { useWidth } from '@/components/ui/use-width';
import type { CardHandlers, ShownActivation } from '@/components/timeline/activation';
import { ActivationCard } from '@/components/timeline/activation-card';
import { Lane } from '@/components/timeline/lane';
import { Legend } from '@/components/timeline/legend';
import { Hatches, hatchIds } from '@/components/timeline/hatches';
import { TimelineAxis, TimelineGrid } from '@/components/timeline/timeline-frame';
import { TimelineMarks } from '@/components/timeline/timeline-marks';
import { TimelineTable } from '@/components/timeline/timeline-table';
import type { TimelineSubject } from '@/components/timeline/timeline-subject';
import type { EventItem } from '@/lib/api/pods';
import { troubledStates } from '@/lib/api/workload-values';
import { eventMarks } from '@/lib/timeline/event-marks';
import type { Lanes } from '@/lib/timeline/lanes';
import { layoutTimeline } from '@/lib/timeline/layout';
import type { RangeName } from '@/lib/timeline/timeline-range';

/**
 * The history as a drawing: lanes with the newest template on top, thickness for the current pods, hatched where
 * something is not ready or unknown. Lanes can be reached with Tab; a table is the accessible alternative.
 */
export function TimelineDrawing({
  subject,
  lanes,
  events,
  stretch,
  nowMs,
  lanesMax,
  compact,
  pointed,
  onPoint,
  onSelect,
}: {
  subject: TimelineSubject;
  lanes: Lanes;
  events: readonly EventItem[];
  stretch: RangeName;
  nowMs: number;
  lanesMax: number;
  compact: boolean;
  pointed: string | null;
  onPoint: (revisionId: string | null) => void;
  onSelect: (revisionId: string) => void;
}) {
  const { ref, width } = useWidth();
  const { timeZone } = useTimeFrame();
  const ids = hatchIds(useId());
  const { hovered, enter, stay, leave, hide } = useHoverCard<ShownActivation>();
  const [opened, setOpened] = useState<ShownActivation | null>(null);
  const cards: CardHandlers = { onPeek: enter, onLeave: leave, onOpen: setOpened };
  const { state } = subject;
  const trouble = state !== undefined && troubledStates.includes(state);
  const settled = state === undefined || ['complete', 'scaling', 'degraded'].includes(state);
  const layout = useMemo(
    () =>
      layoutTimeline({
        lanes,
        events: eventMarks(events),
        range: stretch,
        desired: subject.desired,
        trouble,
        settled,
        createdMs: Date.parse(subject.createdAt),
        nowMs,
        timeZone,
        width: Math.max(width, 280),
        compact,
        lanesMax,
      }),
    [
      lanes,
      events,
      stretch,
      subject.desired,
      subject.createdAt,
      trouble,
      settled,
      nowMs,
      timeZone,
      width,
      compact,
      lanesMax,
    ],
  );
  const shown = opened ?? hovered;
  const shownLane = layout.lanes.find(({ lane }) => lane.id === shown?.laneId);
  function closeCard() {
    setOpened(null);
    hide();
  }
  return (
    <figure ref={ref} className="relative min-w-0">
      <svg
        width={layout.width}
        height={layout.height}
        role="group"
        aria-label={`Revisions of ${subject.name} over time`}
        className={width === 0 ? 'invisible block' : 'block overflow-visible'}
      >
        <Hatches ids={ids} />
        <TimelineGrid layout={layout} ids={ids} />
        {layout.lanes.map((lane) => (
          <Lane
            key={lane.lane.id}
            box={lane}
            layout={layout}
            ids={ids}
            trouble={trouble}
            compact={compact}
            pointed={lane.lane.id === pointed}
            opened={opened?.activation}
            cards={cards}
            onPoint={onPoint}
            onSelect={onSelect}
          />
        ))}
        <TimelineAxis layout={layout} end={subject.end} nowMs={nowMs} timeZone={timeZone} />
        <TimelineMarks layout={layout} ids={ids} trouble={trouble} compact={compact} />
      </svg>
      {shownLane && shown && (
        <ActivationCard
          shown={shown}
          isPinned={opened !== null}
          lane={shownLane.lane}
          width={layout.width}
          onStay={stay}
          onLeave={leave}
          onClose={closeCard}
        />
      )}
      <Legend ids={ids} layout={layout} trouble={trouble} />
      <TimelineTable name={subject.name} lanes={lanes} />
    </figure>
  );
}
