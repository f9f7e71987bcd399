'use client';

import { createContext, useContext, useSyncExternalStore } from 'react';
import { chosenZone, localZone, subscribeZone } from '@/components/ui/time-zone';
import { formatAge, formatDuration } from '@/lib/format/duration';
import { formatClock, formatDay, formatFull, formatShort, type TimeFrame } from '@/lib/format/time';

/**
 * One clock for the page: ticks on the second while it has listeners and the page is visible. Its time does not
 * change between two ticks, so that everything on screen has the same reference.
 */
let currentMs = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

/** The time of the last tick, in milliseconds since 1970. */
function clockMs(): number {
  if (currentMs === 0) currentMs = Date.now();
  return currentMs;
}

/** Calls back after every tick; returns the unsubscribe function. */
function subscribeClock(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) start();
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) stop();
  };
}

function start(): void {
  document.addEventListener('visibilitychange', tick);
  tick();
}

function stop(): void {
  document.removeEventListener('visibilitychange', tick);
  clearTimeout(timer);
}

function tick(): void {
  clearTimeout(timer);
  if (document.hidden) return;
  currentMs = Date.now();
  timer = setTimeout(tick, 1000 - (currentMs % 1000) + 5);
  for (const listener of [...listeners]) listener();
}

const Origin = createContext<TimeFrame>({ nowMs: 0, timeZone: 'UTC' });

/**
 * The time and zone of the server when it rendered the page. The browser's first paint uses them too, so that both
 * are equal; its own clock and zone follow right after.
 */
export function TimeOrigin({ frame, children }: { frame: TimeFrame; children: React.ReactNode }) {
  return <Origin value={frame}>{children}</Origin>;
}

/** The zone of the viewer's choice as an IANA name. */
export function useTimeZone(): string {
  const origin = useContext(Origin);
  return useSyncExternalStore(subscribeZone, chosenZone, () => origin.timeZone);
}

/** The zone of the browser, whichever is chosen. */
export function useLocalZone(): string {
  const origin = useContext(Origin);
  return useSyncExternalStore(subscribeZone, localZone, () => origin.timeZone);
}

/** The current time in milliseconds since 1970, rounded down to `stepMs`; renders again only when that changes. */
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

/** Elapsed time: "26 min", or "26 min ago" with a suffix. Ticks. Full local time and zone in the title. */
export function RelativeTime({ iso, suffix }: { iso: string; suffix?: 'ago' }) {
  const ms = Date.parse(iso);
  return <TimeElement iso={iso} format={(frame) => withSuffix(formatAge(frame.nowMs - ms), suffix)} />;
}

/**
 * When: `day` "14:06" or "7 Sep, 11:20"; `short` for a narrow column, without the clock in another year; `clock`
 * "14:28:10".
 */
export function AbsoluteTime({
  iso,
  form = 'day',
  className,
}: TimeProps & { form?: 'day' | 'short' | 'clock' }) {
  const ms = Date.parse(iso);
  return <TimeElement iso={iso} className={className} format={(frame) => formatAbsolute(ms, form, frame)} />;
}

/** The duration between two times: "6 d 4 h". Without `to` it runs and ticks. */
export function Elapsed({ from, to }: { from: string; to?: string | null }) {
  const startMs = Date.parse(from);
  const endMs = to ? Date.parse(to) : undefined;
  return <TimeElement iso={from} format={(frame) => formatDuration((endMs ?? frame.nowMs) - startMs)} />;
}

function TimeElement({ iso, format, className }: TimeProps & { format: (frame: TimeFrame) => string }) {
  const origin = useContext(Origin);
  const timeZone = useTimeZone();
  const text = useSyncExternalStore(
    subscribeClock,
    () => format({ nowMs: clockMs(), timeZone }),
    () => format(origin),
  );
  return (
    <time dateTime={iso} title={formatFull(Date.parse(iso), timeZone)} className={className}>
      {text}
    </time>
  );
}

function formatAbsolute(ms: number, form: 'day' | 'short' | 'clock', frame: TimeFrame): string {
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
