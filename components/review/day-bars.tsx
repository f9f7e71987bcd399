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

/** Rollouts per day by outcome. Places are in percent of the width, so that the text has its own size. */
export function DayBars({ days }: { days: RolloutReport['days'] }) {
  const timeZone = useTimeZone();
  const totals = days.map((day) => day.completed + day.other + day.rolledBack + day.failed);
  const most = Math.max(1, ...totals);
  const step = 100 / Math.max(1, days.length);
  const bar = step * 0.7;
  const firstAt =
    days[0] === undefined ? '00:00' : formatClock(Date.parse(days[0].from), timeZone).slice(0, 5);
  const daysText = days.map((day, index) => `${dayName(day.from, timeZone)} ${totals[index]}`).join(', ');
  return (
    <>
      <svg
        width="100%"
        height={HEIGHT + 30}
        role="img"
        aria-label={`Rollouts per day: ${daysText}`}
        className="block max-w-[420px] overflow-visible"
      >
        <line x2="100%" y1={BASE + 0.5} y2={BASE + 0.5} stroke="var(--line)" />
        {days.map((day, index) => {
          const x = index * step + (step - bar) / 2;
          const heights = kinds.map(({ key }) => (day[key] / most) * HEIGHT);
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
              {days.length <= 8 && (
                <>
                  {totals[index] !== 0 && (
                    <text
                      x={`${x + bar / 2}%`}
                      y={BASE - heights.reduce((sum, height) => sum + height, 0) - 4}
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
        {firstAt !== '00:00' && <span>Days start at {firstAt}</span>}
      </p>
    </>
  );
}

/** The day at the middle of the stretch: one that begins at noon overlaps two days. */
function dayName(iso: string, timeZone: string): string {
  return formatWeekday(Date.parse(iso) + 43_200_000, timeZone);
}
