'use client';

import { clsx } from 'clsx';
import { CopyButton } from '@/components/ui/copy-button';
import { Segmented } from '@/components/ui/segmented';
import { showToast } from '@/components/ui/toast-queue';
import { useTimeFrame } from '@/components/ui/time';
import { TypedField } from '@/components/ui/typed-field';
import { ZoneNote } from '@/components/ui/zone-note';
import { textColors } from '@/components/fleet-timeline/rollout-colors';
import { iso, shortDuration, type TimelineAddress } from '@/components/fleet-timeline/timeline-address';
import { type TimelineWindow } from '@/components/fleet-timeline/use-timeline-window';
import { type ChangeAddress } from '@/components/list/list-address';
import { parseWallTime, formatWallTime } from '@/lib/timeline/wall-time-text';
import { countAppearances, hasBegunWithin, type TimelineRow } from '@/lib/timeline/fleet-rows';
import { type TimeWindow, withEnd, withStart, zoomWindow } from '@/lib/timeline/time-window';
import { appearanceCountText, periodText, unrecordedText } from '@/lib/timeline/fleet-text';

const lengths = [
  { value: '15m', label: '15 min' },
  { value: '30m', label: '30 min' },
  { value: '1h', label: '1 h' },
  { value: '6h', label: '6 h' },
  { value: '24h', label: '24 h' },
  { value: '7d', label: '7 d' },
] as const;

/** A sentence of what changed, both ends of the window, and common lengths. */
export function WindowHead({
  rows,
  isFailed,
  hidden,
  oldestMs,
  control,
  change,
}: {
  /** Undefined while the rollouts are not known. */
  rows: readonly TimelineRow[] | undefined;
  /** Whether they could not be read. */
  isFailed: boolean;
  /** Rollouts within the window that the rows do not show. */
  hidden: number;
  /** When the first recorded rollout began; null while that is unknown. */
  oldestMs: number | null;
  control: TimelineWindow;
  change: ChangeAddress<TimelineAddress>;
}) {
  const frame = useTimeFrame();
  const { window, nowMs } = control;
  const lengthMs = window.toMs - window.fromMs;
  const choose = (value: string) => {
    const requestedMs = lengthOf(value);
    if (window.isLive) change({ from: value, to: null, at: null });
    else control.show(zoomWindow(window, requestedMs / lengthMs, (window.fromMs + window.toMs) / 2, nowMs));
  };
  const turn = (next: TimeWindow) => {
    control.show(next);
    // Both ends differ: the end that was not typed has moved along.
    if (next.fromMs !== window.fromMs && next.toMs !== window.toMs) sayMoved(next, frame.timeZone);
  };
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-8 gap-y-3 pt-3.5 pb-3">
      <h1
        className="min-w-0 flex-1 basis-[380px] text-say text-balance max-desk:text-[19px]/[26px]"
        aria-live="polite"
      >
        {periodText(window, window.isLive, frame)},{' '}
        <ChangedSummary rows={rows} isFailed={isFailed} hidden={hidden} oldestMs={oldestMs} window={window} />
      </h1>
      <div className="flex flex-wrap items-center gap-2 max-desk:w-full">
        <TimeField
          label="From"
          ms={window.fromMs}
          timeZone={frame.timeZone}
          onChange={(ms) => turn(withStart(window, ms, nowMs))}
        />
        <span className="text-ink-3">to</span>
        <TimeField
          label="To"
          ms={window.toMs}
          timeZone={frame.timeZone}
          onChange={(ms) => turn(withEnd(window, ms, nowMs))}
        />
        <ZoneNote className="text-small text-ink-3 max-desk:order-last max-desk:basis-full" />
        <Segmented
          label="Length"
          value={shortDuration(lengthMs).replace(/^1d$/, '24h')}
          options={lengths}
          onChange={choose}
          className="max-desk:basis-full"
        />
        <span className="max-desk:hidden">
          <CopyButton text={linkTo(window)} label="Copy link to this period" size="small" glyph="copy">
            Copy link
          </CopyButton>
        </span>
      </div>
    </div>
  );
}

function sayMoved({ fromMs, toMs }: TimeWindow, timeZone: string): void {
  showToast({
    title: 'The period has moved',
    body: `A period ends after it starts, and not in the future. This one keeps its length: ${formatWallTime(fromMs, timeZone)} to ${formatWallTime(toMs, timeZone)}.`,
  });
}

/** The address of the current window with fixed ends, so that everyone who opens it sees the same. */
export function linkTo(window: TimeWindow): () => string {
  return () => {
    const url = new URL(location.href);
    url.searchParams.set('from', iso(window.fromMs));
    url.searchParams.set('to', iso(window.toMs));
    return url.href;
  };
}

function ChangedSummary({
  rows,
  isFailed,
  hidden,
  oldestMs,
  window,
}: {
  rows: readonly TimelineRow[] | undefined;
  isFailed: boolean;
  hidden: number;
  oldestMs: number | null;
  window: TimeWindow & { isLive: boolean };
}) {
  const frame = useTimeFrame();
  if (rows === undefined)
    return <span className="text-ink-3">{isFailed ? 'the changes could not be read.' : 'loading…'}</span>;
  if (rows.length === 0 && oldestMs !== null && oldestMs > window.fromMs)
    return <>{unrecordedText(oldestMs, window, frame)}</>;
  if (rows.length === 0) return <>nothing changed.</>;
  const changed = rows.filter(({ rollouts }) => rollouts.some((item) => hasBegunWithin(item, window)));
  const others = rows.length - changed.length;
  return (
    <>
      {hidden > 0 && 'more than '}
      {workloadsText(changed.length)} changed
      {changed.length > 0 && ': '}
      <OutcomeCounts rows={changed} />
      {others > 0 && `; ${earlierText(others, changed.length > 0, window.isLive)}`}.
    </>
  );
}

function OutcomeCounts({ rows }: { rows: readonly TimelineRow[] }) {
  const counts = countAppearances(rows);
  return counts.map(({ appearance, count }, index) => (
    <span key={appearance}>
      <span
        className={clsx(
          'whitespace-nowrap',
          appearance !== 'completed' && appearance !== 'superseded' && textColors[appearance],
        )}
      >
        {appearanceCountText(appearance, count)}
      </span>
      {index < counts.length - 1 && ', '}
    </span>
  ));
}

function workloadsText(count: number): string {
  if (count === 0) return 'no workload';
  return `${count.toLocaleString('en')} ${count === 1 ? 'workload' : 'workloads'}`;
}

/**
 * Workloads with a rollout that began before the window and was in progress within it: "7 more are in progress from
 * before"
 */
function earlierText(count: number, isMore: boolean, isLive: boolean): string {
  const who = isMore ? `${count.toLocaleString('en')} more` : workloadsText(count);
  const verb = isLive ? (count === 1 ? 'is' : 'are') : count === 1 ? 'was' : 'were';
  return `${who} ${verb} in progress from before`;
}

/** One end of the window. A time without a date means the day that is shown. */
function TimeField({
  label,
  ms,
  timeZone,
  onChange,
}: {
  label: string;
  ms: number;
  timeZone: string;
  onChange: (ms: number) => void;
}) {
  return (
    <TypedField
      label={label}
      text={formatWallTime(ms, timeZone)}
      read={(typed) => parseWallTime(typed, timeZone, ms)}
      example={formatWallTime(ms, timeZone)}
      onRead={onChange}
      className="w-[142px] max-desk:w-auto max-desk:min-w-0 max-desk:flex-1"
      inputClassName="px-2! text-small max-desk:text-[14px]!"
    />
  );
}

const units: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function lengthOf(value: string): number {
  return Number(value.slice(0, -1)) * (units[value.slice(-1)] ?? 0);
}
