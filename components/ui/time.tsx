'use client';

import { createContext, useContext, useSyncExternalStore } from 'react';
import { clockMs, subscribeClock } from '@/components/ui/clock';
import { formatAge, formatDuration } from '@/lib/format/duration';
import { formatClock, formatDay, formatFull, formatShort, type TimeFrame } from '@/lib/format/time';

const Origin = createContext<TimeFrame>({ nowMs: 0, timeZone: 'UTC' });

/**
 * The moment and zone of the server when it rendered the page. The first paint in the browser uses them too, so that
 * both agree; the browser's own clock and zone take over right after.
 */
export function TimeOrigin({ frame, children }: { frame: TimeFrame; children: React.ReactNode }) {
  return <Origin value={frame}>{children}</Origin>;
}

/** The viewer's zone as an IANA name. */
export function useTimeZone(): string {
  const origin = useContext(Origin);
  return useSyncExternalStore(never, browserZone, () => origin.timeZone);
}

/** The present in milliseconds since 1970, rounded down to `stepMs`; renders again only when that changes. */
export function useNow(stepMs = 1000): number {
  const origin = useContext(Origin);
  const down = (ms: number) => ms - (ms % stepMs);
  return useSyncExternalStore(
    subscribeClock,
    () => down(clockMs()),
    () => down(origin.nowMs),
  );
}

/** Now and the viewer's zone, for the functions of `lib/format/time`. Renders again once a minute. */
export function useTimeFrame(): TimeFrame {
  return { nowMs: useNow(60_000), timeZone: useTimeZone() };
}

interface TimeProps {
  /** RFC 3339 time. */
  iso: string;
  className?: string;
}

/** How long ago: "26 min", or "26 min ago" with a suffix. Ticks. Full local time and zone in the title. */
export function RelativeTime({ iso, suffix, className }: TimeProps & { suffix?: 'ago' }) {
  const ms = Date.parse(iso);
  return (
    <TimeElement
      iso={iso}
      className={className}
      say={(frame) => withSuffix(formatAge(frame.nowMs - ms), suffix)}
    />
  );
}

/**
 * When: `day` "today 14:06" or "Mon 7 Sep 11:20"; `short` for a narrow column, "14:06" or "Tue 15:40"; `clock` "14:28:10".
 */
export function AbsoluteTime({
  iso,
  form = 'day',
  className,
}: TimeProps & { form?: 'day' | 'short' | 'clock' }) {
  const ms = Date.parse(iso);
  return <TimeElement iso={iso} className={className} say={(frame) => sayAbsolute(ms, form, frame)} />;
}

/** How long from one time to another: "6 d 4 h". Without `to` it still runs and ticks. */
export function Elapsed({ from, to, className }: { from: string; to?: string | null; className?: string }) {
  const startMs = Date.parse(from);
  const endMs = to ? Date.parse(to) : undefined;
  return (
    <TimeElement
      iso={from}
      className={className}
      say={(frame) => formatDuration((endMs ?? frame.nowMs) - startMs)}
    />
  );
}

function TimeElement({ iso, say, className }: TimeProps & { say: (frame: TimeFrame) => string }) {
  const origin = useContext(Origin);
  const timeZone = useTimeZone();
  const text = useSyncExternalStore(
    subscribeClock,
    () => say({ nowMs: clockMs(), timeZone }),
    () => say(origin),
  );
  return (
    <time dateTime={iso} title={formatFull(Date.parse(iso), timeZone)} className={className}>
      {text}
    </time>
  );
}

function sayAbsolute(ms: number, form: 'day' | 'short' | 'clock', frame: TimeFrame): string {
  switch (form) {
    case 'day':
      return formatDay(ms, frame);
    case 'short':
      return formatShort(ms, frame);
    case 'clock':
      return formatClock(ms, frame.timeZone);
    default:
      return form satisfies never;
  }
}

function withSuffix(age: string, suffix: 'ago' | undefined): string {
  return suffix === undefined ? age : age === '0 s' ? 'just now' : `${age} ${suffix}`;
}

/** Every time on the page asks at each drawing, and the browser takes long to answer. */
const ZONE_KEPT_MS = 10_000;
let zone = { name: '', askedMs: -Infinity };

function browserZone(): string {
  const nowMs = performance.now();
  if (nowMs - zone.askedMs > ZONE_KEPT_MS) {
    zone = { name: Intl.DateTimeFormat().resolvedOptions().timeZone, askedMs: nowMs };
  }
  return zone.name;
}

function never(): () => void {
  return () => undefined;
}
