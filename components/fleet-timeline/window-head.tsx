'use client';

import { clsx } from 'clsx';
import { CopyButton } from '@/components/ui/copy-button';
import { Segmented } from '@/components/ui/segmented';
import { showToast } from '@/components/ui/toast';
import { useTimeFrame } from '@/components/ui/time';
import { TypedField } from '@/components/ui/typed-field';
import { outcomeGlyphs } from '@/components/shared/outcome-glyph';
import { iso, shortDuration, type TimelineAddress } from '@/components/fleet-timeline/timeline-address';
import type { TimelineWindow } from '@/components/fleet-timeline/use-timeline-window';
import type { ChangeAddress } from '@/components/list/list-address';
import { parseWallTime, formatWallTime } from '@/lib/format/wall-time-text';
import { countAppearances } from '@/lib/timeline/fleet-rows';
import { type TimeWindow, withEnd, withStart, zoomWindow } from '@/lib/timeline/time-window';
import { appearanceCountText, periodText, unrecordedText } from '@/lib/timeline/fleet-text';
import type { TimelineItem } from '@/lib/api/timeline';
import { formatDay } from '@/lib/format/time';
import { formatCount } from '@/lib/format/text';

const lengths = [
  { value: '15m', label: '15 min' },
  { value: '30m', label: '30 min' },
  { value: '1h', label: '1 h' },
  { value: '6h', label: '6 h' },
  { value: '24h', label: '24 h' },
  { value: '7d', label: '7 d' },
] as const;

/** What started in the window, the moment of an incident, both ends of the window, and common lengths. */
export function WindowHead({
  started,
  isRecorded,
  atMs,
  incident,
  isFailed,
  hidden,
  oldestMs,
  control,
  change,
}: {
  /** The rollouts that started in the window; undefined while they are not known. */
  started: readonly TimelineItem[] | undefined;
  /** Whether the whole window was recorded. */
  isRecorded: boolean;
  /** The highlighted moment. */
  atMs: number | null;
  /** The field for that moment. */
  incident: React.Ref<HTMLInputElement>;
  /** Whether they could not be read. */
  isFailed: boolean;
  /** Rollouts within the window that are not among them. */
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
        {atMs === null || atMs < window.fromMs || atMs > window.toMs
          ? `${periodText(window, window.isLive, frame)}, `
          : `Around the incident at ${formatDay(atMs, frame)}, `}
        <StartedSummary
          started={started}
          isRecorded={isRecorded}
          isFailed={isFailed}
          hidden={hidden}
          oldestMs={oldestMs}
          window={window}
        />
      </h1>
      <div className="flex flex-wrap items-center gap-2 max-desk:w-full">
        <IncidentField
          atMs={atMs}
          nowMs={nowMs}
          timeZone={frame.timeZone}
          inputRef={incident}
          change={change}
        />
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
    title: 'Period moved',
    body: `A period ends after its start, and not in the future. It is now ${formatWallTime(fromMs, timeZone)} to ${formatWallTime(toMs, timeZone)}.`,
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

function StartedSummary({
  started,
  isRecorded,
  isFailed,
  hidden,
  oldestMs,
  window,
}: {
  started: readonly TimelineItem[] | undefined;
  isRecorded: boolean;
  isFailed: boolean;
  hidden: number;
  oldestMs: number | null;
  window: TimeWindow;
}) {
  const frame = useTimeFrame();
  if (started === undefined)
    return <span className="text-ink-3">{isFailed ? 'rollouts could not be read.' : 'loading…'}</span>;
  if (started.length === 0 && oldestMs !== null && oldestMs > window.fromMs)
    return <>{unrecordedText(oldestMs, window, frame)}</>;
  if (started.length === 0) return <>{isRecorded ? 'no rollouts started.' : 'no rollouts recorded.'}</>;
  return (
    <>
      {hidden > 0 && 'more than '}
      {formatCount(started.length, 'rollout')} started: <OutcomeCounts items={started} />.
    </>
  );
}

/** "1 stalled, 2 rolled back, 10 completed", each in its color. */
export function OutcomeCounts({ items }: { items: readonly TimelineItem[] }) {
  const counts = countAppearances(items);
  return counts.map(({ appearance, count }, index) => (
    <span key={appearance}>
      <span
        className={clsx(
          'whitespace-nowrap',
          appearance !== 'completed' && appearance !== 'superseded' && outcomeGlyphs[appearance].color,
        )}
      >
        {appearanceCountText(appearance, count)}
      </span>
      {index < counts.length - 1 && ', '}
    </span>
  ));
}

/** The time of an incident: the window is then around it. An empty field has none. */
function IncidentField({
  atMs,
  nowMs,
  timeZone,
  inputRef,
  change,
}: {
  atMs: number | null;
  nowMs: number;
  timeZone: string;
  inputRef: React.Ref<HTMLInputElement>;
  change: ChangeAddress<TimelineAddress>;
}) {
  return (
    <span className="inline-flex items-center gap-2 max-desk:w-full">
      <span aria-hidden="true" className="flex-none text-small text-ink-3">
        Incident at
      </span>
      <TypedField
        label="Incident at"
        text={atMs === null ? '' : formatWallTime(atMs, timeZone)}
        placeholder="14:32"
        read={(typed) => {
          if (typed.trim() === '') return 'none';
          const ms = parseWallTime(typed, timeZone, nowMs, nowMs);
          return ms !== null && ms <= nowMs ? ms : null;
        }}
        example="14:32 or 22 Nov, 14:32 (not in the future)"
        onRead={(read) =>
          change(
            read === 'none'
              ? { at: null }
              : { at: iso(read), from: null, to: null, order: null, record: null },
          )
        }
        inputRef={inputRef}
        className={clsx(
          'max-desk:w-auto max-desk:min-w-0 max-desk:flex-1',
          atMs === null ? 'w-[76px]' : 'w-[142px]',
        )}
        inputClassName="px-2! text-small max-desk:text-[14px]!"
      />
    </span>
  );
}

/** One end of the window. A time without a date is on the day that the field shows. */
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
