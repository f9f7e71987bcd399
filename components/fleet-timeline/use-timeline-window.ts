'use client';

import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useStandingNow } from '@/components/ui/use-standing-now';
import {
  addressOf,
  type ChangeAddress,
  durationText,
  iso,
  type StatedWindow,
  type TimelineAddress,
  windowOf,
} from '@/components/fleet-timeline/timeline-address';
import { type TimelinePeriod } from '@/lib/queries/timeline';
import { pan, type TimeWindow, zoom } from '@/lib/timeline/fleet-window';

const TICK_MS = 5_000;
/** Browsers refuse more than a few changes of the address a second, and each is a question to the server. */
const SETTLE_MS = 250;

export interface TimelineWindow {
  window: StatedWindow;
  nowMs: number;
  /** What the server is asked for: follows once a gesture rests. */
  period: TimelinePeriod;
  /** Shows another part of the time, at once on the screen. */
  show: (window: TimeWindow) => void;
  panBy: (share: number) => void;
  /** Around the middle unless told. */
  zoomBy: (factor: number, aroundMs?: number) => void;
  /** The same length, ending now from now on. */
  toNow: () => void;
}

/** The window on the time axis. While it moves it is kept here; the address follows when it rests. */
export function useTimelineWindow(address: TimelineAddress, change: ChangeAddress): TimelineWindow {
  const nowMs = useStandingNow(TICK_MS);
  const [draft, setDraft] = useState<TimeWindow | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const { from, to, at } = address;
  const stated = useMemo(() => windowOf({ from, to, at }, nowMs), [from, to, at, nowMs]);
  const window = draft === null ? stated : { ...draft, isLive: false };
  const latest = useRef({ window, nowMs });
  useEffect(() => {
    latest.current = { window, nowMs };
  });

  const show = useCallback(
    (next: TimeWindow) => {
      latest.current.window = { ...next, isLive: false };
      setDraft(next);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => {
        change(addressOf(next, latest.current.nowMs), 'typing');
        setDraft(null);
      }, SETTLE_MS);
    },
    [change],
  );

  return {
    window,
    nowMs,
    period: useMemo(() => periodOf(stated), [stated]),
    show,
    panBy: (share) => show(pan(latest.current.window, share, latest.current.nowMs)),
    zoomBy: (factor, aroundMs) => {
      const { fromMs, toMs, isLive } = latest.current.window;
      const around = aroundMs ?? (isLive ? toMs : (fromMs + toMs) / 2);
      show(zoom(latest.current.window, factor, around, latest.current.nowMs));
    },
    toNow: () => {
      const { fromMs, toMs } = latest.current.window;
      clearTimeout(timer.current);
      setDraft(null);
      change({ from: durationText(toMs - fromMs), to: null, at: null });
    },
  };
}

/** One that follows the present is asked for by its length, so that the question stays the same. */
function periodOf({ fromMs, toMs, isLive }: StatedWindow): TimelinePeriod {
  return isLive ? { from: durationText(toMs - fromMs) } : { from: iso(fromMs), to: iso(toMs) };
}
