'use client';

import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useNowUnlessStale } from '@/components/ui/use-now-unless-stale';
import {
  addressOf,
  shortDuration,
  iso,
  type AddressWindow,
  type TimelineAddress,
  windowOf,
} from '@/components/fleet-timeline/timeline-address';
import type { ChangeAddress } from '@/components/list/list-address';
import type { WindowControl } from '@/components/time-axis/use-plot-gestures';
import type { TimelinePeriod } from '@/components/queries/timeline';
import { panWindow, type TimeWindow, zoomWindow } from '@/lib/timeline/time-window';

const TICK_MS = 5_000;
/** Browsers refuse more than a few changes of the address per second, and each is a request to the server. */
const DEBOUNCE_MS = 250;

export interface TimelineWindow extends WindowControl {
  window: AddressWindow;
  /** The window of requests: updated once a gesture ends. */
  period: TimelinePeriod;
  /** A gesture shows another window than the one that was requested. */
  isMoving: boolean;
  /** The same length, following the present. */
  toNow: () => void;
}

/** The window on the time axis. Local state while it moves; the address follows when it is idle. */
export function useTimelineWindow(
  address: TimelineAddress,
  change: ChangeAddress<TimelineAddress>,
): TimelineWindow {
  const nowMs = useNowUnlessStale(TICK_MS);
  const [draft, setDraft] = useState<TimeWindow | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const { from, to, at } = address;
  const addressWindow = useMemo(() => windowOf({ from, to, at }, nowMs), [from, to, at, nowMs]);
  const window = draft === null ? addressWindow : { ...draft, isLive: false };
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
      }, DEBOUNCE_MS);
    },
    [change],
  );

  return {
    window,
    nowMs,
    period: useMemo(() => periodOf(addressWindow), [addressWindow]),
    isMoving: draft !== null,
    show,
    panBy: (share) => show(panWindow(latest.current.window, share, latest.current.nowMs)),
    zoomBy: (factor, aroundMs) => {
      const { fromMs, toMs, isLive } = latest.current.window;
      const around = aroundMs ?? (isLive ? toMs : (fromMs + toMs) / 2);
      show(zoomWindow(latest.current.window, factor, around, latest.current.nowMs));
    },
    toNow: () => {
      const { fromMs, toMs } = latest.current.window;
      clearTimeout(timer.current);
      setDraft(null);
      change({ from: shortDuration(toMs - fromMs), to: null, at: null });
    },
  };
}

/** A window that follows the present is requested by its length, so that the query key is stable. */
function periodOf({ fromMs, toMs, isLive }: AddressWindow): TimelinePeriod {
  return isLive ? { from: shortDuration(toMs - fromMs) } : { from: iso(fromMs), to: iso(toMs) };
}
