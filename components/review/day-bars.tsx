'use client';

import { useTimeZone } from '@/components/ui/time';
import { type RolloutReport } from '@/lib/api/reports';
import { formatClock, formatWeekday } from '@/lib/format/time';

const WIDTH = 292;
const HEIGHT = 78;

const kinds = [
  { key: 'completed', word: 'completed', fill: 'var(--rev-past-ink)', opacity: 0.42 },
  { key: 'other', word: 'other', fill: 'var(--line-2)', opacity: 1 },
  { key: 'rolledBack', word: 'rolled back', fill: 'var(--back-fill)', opacity: 1 },
  { key: 'failed', word: 'failed', fill: 'var(--stuck-fill)', opacity: 1 },
] as const;

/** Rollouts per day by outcome. */
export function DayBars({ days }: { days: RolloutReport['days'] }) {
  const timeZone = useTimeZone();
  const totals = days.map((day) => day.completed + day.other + day.rolledBack + day.failed);
  const most = Math.max(1, ...totals);
  const step = WIDTH / Math.max(1, days.length);
  const bar = Math.max(1.5, Math.min(26, step * 0.7));
  const firstAt =
    days[0] === undefined ? '00:00' : formatClock(Date.parse(days[0].from), timeZone).slice(0, 5);
  const daysText = days.map((day, index) => `${dayName(day.from, timeZone)} ${totals[index]}`).join(', ');
  return (
    <>
      <svg
        viewBox={`0 -14 ${WIDTH} ${HEIGHT + 30}`}
        width="100%"
        role="img"
        aria-label={`Rollouts a day: ${daysText}`}
        className="block max-w-[420px] print:max-w-[292px] overflow-visible"
      >
        <path d={`M0 ${HEIGHT + 0.5}H${WIDTH}`} stroke="var(--line)" />
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
                    x={x}
                    y={HEIGHT - below - height}
                    width={bar}
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
                      x={x + bar / 2}
                      y={HEIGHT - heights.reduce((sum, height) => sum + height, 0) - 4}
                      textAnchor="middle"
                      className="fill-ink-2 text-micro"
                    >
                      {totals[index]}
                    </text>
                  )}
                  <text x={x + bar / 2} y={HEIGHT + 14} textAnchor="middle" className="fill-ink-3 text-micro">
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
        {firstAt !== '00:00' && <span>each day until {firstAt} of the next</span>}
      </p>
    </>
  );
}

/** The day at the middle of the stretch: one that begins at noon overlaps two days. */
function dayName(iso: string, timeZone: string): string {
  return formatWeekday(Date.parse(iso) + 43_200_000, timeZone);
}
