'use client';

import { useId } from 'react';
import { useNow, useTimeZone } from '@/components/ui/time';
import { useWidth } from '@/components/ui/use-width';
import type { RecordAnswer } from '@/lib/api/records';
import { formatClock } from '@/lib/format/time';
import { type PodChart, type PodChartLane, buildPodChart } from '@/lib/view/pod-chart';
import { formatCount } from '@/lib/format/text';

const LANE_PX = 28;
const FULL_PX = 18;
const LABEL_PX = 44;

/** Pods by revision over the time of the rollout: a lane for each, thickness for pods, pale where not ready. */
export function RecordTrack({ record }: { record: RecordAnswer }) {
  const nowMs = useNow(5_000);
  const timeZone = useTimeZone();
  const { ref, width } = useWidth();
  const hatch = useId();
  const track = buildPodChart(record, nowMs);
  if (track === null) return null;
  const plot = Math.max(0, width - LABEL_PX);
  const height = track.lanes.length * LANE_PX;
  return (
    <figure ref={ref} className="pt-3">
      {plot > 0 && (
        <svg
          width={width}
          height={height + 18}
          role="img"
          aria-label={describeTrack(track)}
          className="block"
        >
          <pattern
            id={hatch}
            width="6"
            height="6"
            patternUnits="userSpaceOnUse"
            patternTransform="rotate(45)"
          >
            <path d="M0 0V6" stroke="var(--hatch)" strokeWidth="2" />
          </pattern>
          {track.lanes.map((lane, index) => (
            <Lane key={index} lane={lane} y={index * LANE_PX} plot={plot} podsMax={track.podsMax} />
          ))}
          {track.spans.map((span, index) => (
            <rect
              key={index}
              x={LABEL_PX + span.from * plot}
              y={0}
              width={Math.max(2, (span.to - span.from) * plot)}
              height={height}
              fill={`var(--${span.kind})`}
              fillOpacity=".12"
            >
              <title>{`${span.kind === 'stuck' ? 'Stalled' : 'Held'}: ${span.reason}`}</title>
            </rect>
          ))}
          {track.unwatched.map((part, index) => (
            <rect
              key={index}
              x={LABEL_PX + part.from * plot}
              y={0}
              width={Math.max(2, (part.to - part.from) * plot)}
              height={height}
              fill={`url(#${hatch})`}
            >
              <title>Not observed</title>
            </rect>
          ))}
          <text x={LABEL_PX} y={height + 14} className="fill-ink-3 text-micro">
            {formatClock(track.fromMs, timeZone)}
          </text>
          <text x={width} y={height + 14} textAnchor="end" className="fill-ink-3 text-micro">
            {record.outcome === null ? 'now' : formatClock(track.toMs, timeZone)}
          </text>
        </svg>
      )}
    </figure>
  );
}

function Lane({ lane, y, plot, podsMax }: { lane: PodChartLane; y: number; plot: number; podsMax: number }) {
  const middle = y + LANE_PX / 2;
  const fill = lane.isTarget ? 'var(--rev-target)' : 'var(--rev-live)';
  return (
    <g>
      <rect x={LABEL_PX} y={y + 2} width={plot} height={LANE_PX - 4} fill="var(--lane)" />
      <text x={0} y={middle + 4} className="fill-ink rev">
        {lane.label}
      </text>
      {lane.segments.map((part, index) => {
        const size = Math.max(2, (part.pods / podsMax) * FULL_PX);
        const readySize = (part.ready / podsMax) * FULL_PX;
        const x = LABEL_PX + part.from * plot;
        const width = Math.max(1, (part.to - part.from) * plot);
        return (
          <g key={index}>
            <title>{`${formatCount(part.pods, 'pod')}, ${part.ready} ready`}</title>
            <rect x={x} y={middle - size / 2} width={width} height={size} fill={fill} fillOpacity=".35" />
            {part.ready > 0 && (
              <rect x={x} y={middle + size / 2 - readySize} width={width} height={readySize} fill={fill} />
            )}
          </g>
        );
      })}
    </g>
  );
}

function describeTrack({ lanes }: PodChart): string {
  const laneTexts = lanes.map(({ label, segments: parts }) => {
    const first = parts[0]?.pods ?? 0;
    const last = parts.at(-1);
    const end = last?.to === 1 ? last.pods : 0;
    return `revision ${label} from ${first} to ${end} pods`;
  });
  return `Pods by revision during the rollout: ${laneTexts.join(', ')}`;
}
