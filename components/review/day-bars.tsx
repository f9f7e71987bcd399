'use client';

import { useTimeZone } from '@/components/ui/time';
import type { RolloutReport } from '@/lib/api/reports';
import { formatClock, formatWeekday } from '@/lib/format/time';

const HEIGHT = 78;
/** Below the number on the highest bar. */
const BASE = HEIGHT + 14;

const kinds = [
  { key: 'completed', word: 'Completed', fill: 'var(--rev-past-ink)', opacity: 0.42 },
  { key: 'other', word: 'Other', fill: 'var(--line-2)', opacity: 1 },
  { key: 'rolledBack', word: 'Rolled back', fill: 'var(--back-fill)', opacity: 1 },
  { key: 'failed', word: 'Failed', fill: 'var(--stuck-fill)', opacity: 1 },
] as const;

/**
 * Rollouts per calendar day by outcome, each with a mark for the day one period before. Places are in percent of the
 * width, so that the text has its own size.
 */
export function DayBars({
  days,
  to,
  before,
}: Pick<RolloutReport, 'days' | 'to'> & {
  /** The name of the period before. */
  before: string;
}) {
  const timeZone = useTimeZone();
  const totals = days.map((day) => day.completed + day.other + day.rolledBack + day.failed);
  const most = Math.max(1, ...totals, ...days.map((day) => day.before));
  const step = 100 / Math.max(1, days.length);
  const bar = step * 0.7;
  const daysText = days
    .map((day, index) => `${dayName(day.from, timeZone)} ${totals[index]}, before ${day.before}`)
    .join('; ');
  const clock = (iso: string) => formatClock(Date.parse(iso), timeZone).slice(0, 5);
  /** What the first and the last day lack. */
  const cuts = days.map(({ from, isPartial }, index) => {
    if (!isPartial) return null;
    return index === 0 ? `from ${clock(from)}` : `to ${clock(to)}`;
  });
  return (
    <>
      <svg
        width="100%"
        height={HEIGHT + (cuts.some((cut) => cut !== null) ? 42 : 30)}
        role="img"
        aria-label={`Rollouts per day, with the ${before}: ${daysText}`}
        className="block max-w-[420px] overflow-visible"
      >
        <line x2="100%" y1={BASE + 0.5} y2={BASE + 0.5} stroke="var(--line)" />
        {days.map((day, index) => {
          const x = index * step + (step - bar) / 2;
          const heights = kinds.map(({ key }) => (day[key] / most) * HEIGHT);
          const beforeHeight = (day.before / most) * HEIGHT;
          const height = heights.reduce((sum, each) => sum + each, 0);
          return (
            <g key={day.from}>
              {kinds.map(({ key, fill, opacity }, at) => {
                const below = heights.slice(0, at).reduce((sum, height) => sum + height, 0);
                const height = heights[at] ?? 0;
                return height === 0 ? null : (
                  <rect
                    key={key}
                    x={`${x}%`}
                    y={BASE - below - height}
                    width={`${bar}%`}
                    height={height}
                    rx={1}
                    fill={fill}
                    fillOpacity={opacity}
                  />
                );
              })}
              {day.before > 0 && (
                <line
                  x1={`${x - step * 0.06}%`}
                  x2={`${x + bar + step * 0.06}%`}
                  y1={BASE - beforeHeight}
                  y2={BASE - beforeHeight}
                  stroke="var(--ink-3)"
                  strokeWidth="1.5"
                  strokeDasharray="3 2"
                />
              )}
              {days.length <= 8 && (
                <>
                  {totals[index] !== 0 && (
                    <text
                      x={`${x + bar / 2}%`}
                      y={BASE - Math.max(height, beforeHeight) - 4}
                      textAnchor="middle"
                      className="fill-ink-2 text-micro"
                    >
                      {totals[index]}
                    </text>
                  )}
                  <text
                    x={`${x + bar / 2}%`}
                    y={BASE + 14}
                    textAnchor="middle"
                    className="fill-ink-3 text-micro print:text-[8px]"
                  >
                    {dayName(day.from, timeZone)}
                  </text>
                  {cuts[index] != null && (
                    <text
                      x={index === 0 ? `${x}%` : `${x + bar}%`}
                      y={BASE + 26}
                      textAnchor={index === 0 ? 'start' : 'end'}
                      className="fill-ink-3 text-micro print:text-[8px]"
                    >
                      {cuts[index]}
                    </text>
                  )}
                </>
              )}
            </g>
          );
        })}
      </svg>
      <p className="flex flex-wrap gap-x-3.5 gap-y-0.5 pt-1 text-small text-ink-3">
        {kinds.map(({ key, word, fill, opacity }) => {
          const sum = days.reduce((total, day) => total + day[key], 0);
          return sum === 0 ? null : (
            <span key={key} className="inline-flex items-center gap-1.5">
              <svg width="9" height="9" aria-hidden="true">
                <rect width="9" height="9" rx="1" fill={fill} fillOpacity={opacity} />
              </svg>
              {word} {sum}
            </span>
          );
        })}
        {days.some((day) => day.before > 0) && (
          <span className="inline-flex items-center gap-1.5">
            <svg width="14" height="9" aria-hidden="true">
              <line x2="14" y1="4.5" y2="4.5" stroke="var(--ink-3)" strokeWidth="1.5" strokeDasharray="3 2" />
            </svg>
            {before}
          </span>
        )}
      </p>
    </>
  );
}

function dayName(iso: string, timeZone: string): string {
  return formatWeekday(Date.parse(iso), timeZone);
}
