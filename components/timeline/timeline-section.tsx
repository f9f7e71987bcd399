'use client';

import { useMemo, useState } from 'react';
import { Button } from '@/components/ui/button';
import { lazily } from '@/components/ui/lazily';
import { TextLink } from '@/components/ui/link';
import { usePhone } from '@/components/ui/media';
import { SectionHead } from '@/components/ui/section-head';
import { Segmented } from '@/components/ui/segmented';
import { Skeleton } from '@/components/ui/skeleton';
import { useNow } from '@/components/ui/time';
import type { TimelineSubject } from '@/components/timeline/timeline-subject';
import type { EventItem, PodItem } from '@/lib/api/pods';
import type { PodTrack } from '@/lib/api/earlier-incarnation';
import type { RevisionItem } from '@/lib/api/revisions';
import { buildLanes, type TimelineRevision } from '@/lib/timeline/lanes';
import { fittingRange, HOUR_MS, type RangeName, rangeStart } from '@/lib/timeline/timeline-range';
import { podProfiles, podTimes } from '@/lib/timeline/pod-profile';

import { versionsOf } from '@/lib/view/image-name';

/** The drawing renders after the text, so that the text does not wait for it. */
const TimelineDrawing = lazily(
  async () => (await import('@/components/timeline/timeline-drawing')).TimelineDrawing,
  <Skeleton width="100%" height={180} />,
);

/** The drawing changes by less than a pixel in this time. */
const TICK_MS = 10_000;
const LANES_SHOWN = { desk: 14, phone: 3 };

/** The history over time: a lane for each revision. `stretch` is null until the viewer chooses one. */
export function TimelineSection({
  subject,
  revisions,
  pods,
  events,
  track,
  endMs,
  stretch,
  onStretch,
  pointed,
  onPoint,
  onSelect,
}: {
  subject: TimelineSubject;
  revisions: readonly RevisionItem[];
  pods: readonly PodItem[];
  events: readonly EventItem[];
  /** Pods over time; loaded after the rest. */
  track: PodTrack | undefined;
  /**
   * The fixed end of the time axis: the last observation, or the deletion of the workload. Null while it is the
   * present.
   */
  endMs: number | null;
  stretch: RangeName | null;
  onStretch: (stretch: RangeName) => void;
  pointed: string | null;
  onPoint: (revisionId: string | null) => void;
  onSelect: (revisionId: string) => void;
}) {
  const isPhone = usePhone();
  const clockMs = useNow(TICK_MS) + TICK_MS;
  const nowMs = endMs ?? clockMs;
  const [all, setAll] = useState(false);
  const lanes = useMemo(
    () => buildLanes(timelineRevisions(revisions, pods, track, nowMs), nowMs),
    [revisions, pods, track, nowMs],
  );
  const earliestMs = Math.min(lanes.earliestMs, Date.parse(subject.createdAt));
  const chosen =
    stretch ?? (isPhone && hasRecentChange(revisions, nowMs) ? '1h' : fittingRange(earliestMs, nowMs));
  const lanesMax = all ? Infinity : isPhone ? LANES_SHOWN.phone : LANES_SHOWN.desk;
  const hidden = lanes.lanes.length - lanesMax;

  return (
    <section aria-labelledby="timeline" className="pt-[22px]">
      <SectionHead
        id="timeline"
        title="Timeline"
        remark={
          <>
            One lane per revision
            <TextLink
              href={fleetHref(rangeStart(chosen, earliestMs, nowMs), nowMs)}
              prefetch={false}
              className="ml-3 max-desk:block max-desk:ml-0 max-desk:w-fit max-desk:leading-7"
            >
              All workloads in this period
            </TextLink>
          </>
        }
        end={<Segmented label="Period" value={chosen} onChange={onStretch} options={options(isPhone)} />}
        className="mb-1"
      />
      <TimelineDrawing
        subject={subject}
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

const SECOND_MS = 1000;

/** The same stretch on the timeline of the fleet; whole seconds, so that the address is readable. */
function fleetHref(fromMs: number, toMs: number): string {
  const iso = (ms: number) =>
    new Date(Math.round(ms / SECOND_MS) * SECOND_MS).toISOString().replace('.000', '');
  return `/timeline?${new URLSearchParams({ from: iso(fromMs), to: iso(toMs) })}`;
}

function hasRecentChange(revisions: readonly RevisionItem[], nowMs: number): boolean {
  return revisions.some(({ activations }) =>
    activations.some(({ from, fromNotAfter }) => Date.parse(from ?? fromNotAfter ?? '') > nowMs - HOUR_MS),
  );
}

/** Revisions as the drawing needs them: with the times that their pods prove, and the label at the end of a lane. */
export function timelineRevisions(
  revisions: readonly RevisionItem[],
  pods: readonly PodItem[],
  track: PodTrack | undefined,
  nowMs: number,
): TimelineRevision[] {
  const times = podTimes(pods);
  const profiles = podProfiles(track, revisions, nowMs);
  const versions = versionsOf(revisions);
  return revisions.map((revision, index) => ({
    ...revision,
    version: versions[index] ?? '',
    note: revision.retained ? (revision.prunedNext ? 'pruned next' : 'not live') : 'archived',
    profile: profiles.get(revision.id) ?? [],
    runningSinceMs: times.get(revision.id)?.runningSinceMs ?? null,
    unreadySinceMs: times.get(revision.id)?.unreadySinceMs ?? null,
  }));
}
