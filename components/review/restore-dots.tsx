import { type RolloutReport } from '@/lib/api/reports';
import { formatAge, formatDuration } from '@/lib/format/duration';
import { median } from '@/lib/records/report';

/** In percent of the width: room for half a dot. */
const SIDE = 2;
const NICE_MINUTES = [5, 10, 15, 30, 60, 120, 240, 480, 1_440, 2_880, 10_080, 43_200, 129_600];

/** A dot for each failed change that was restored, at its time to restore; a line at the median. */
export function RestoreDots({ failures }: { failures: RolloutReport['failures'] }) {
  const times = failures.flatMap(({ name, restoreMs }) => (restoreMs === null ? [] : [{ name, restoreMs }]));
  const middle = median(times.map(({ restoreMs }) => restoreMs));
  if (middle === null) return null;
  const longest = Math.max(...times.map(({ restoreMs }) => restoreMs));
  const endMs = (NICE_MINUTES.find((minutes) => minutes * 60_000 >= longest) ?? 0) * 60_000 || longest;
  const place = (ms: number) => SIDE + (ms / endMs) * (100 - 2 * SIDE);
  const timesText = times.map(({ name, restoreMs }) => `${name} ${formatDuration(restoreMs)}`).join(', ');
  return (
    <svg
      width="100%"
      height={42}
      role="img"
      aria-label={`Time to restore: ${timesText}; median ${formatDuration(middle)}`}
      className="block max-w-[420px] overflow-visible"
    >
      <line x2="100%" y1={14.5} y2={14.5} stroke="var(--line-2)" />
      <line
        x1={`${place(middle)}%`}
        x2={`${place(middle)}%`}
        y1={3}
        y2={26}
        stroke="var(--ink)"
        strokeWidth="1.5"
      />
      {times.map(({ name, restoreMs }, index) => (
        <circle
          key={index}
          cx={`${place(restoreMs)}%`}
          cy={14.5}
          r={4}
          fill="var(--canvas)"
          stroke="var(--stuck)"
          strokeWidth="1.75"
        >
          <title>{`${name} ${formatDuration(restoreMs)}`}</title>
        </circle>
      ))}
      <text x={0} y={38} className="fill-ink-3 text-micro">
        0
      </text>
      <text x="100%" y={38} textAnchor="end" className="fill-ink-3 text-micro">
        {formatAge(endMs)}
      </text>
    </svg>
  );
}
