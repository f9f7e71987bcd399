'use client';

import { useEffect, useRef, useState } from 'react';
import { type TimeScale, timeAt } from '@/lib/timeline/scale';
import { panWindow, type TimeWindow } from '@/lib/timeline/time-window';

/** A smaller movement is a click. */
const MOVED_PX = 6;
const ZOOM_PER_WHEEL_PX = 0.002;

/** A window on the time axis that moves and zooms. */
export interface WindowControl {
  window: TimeWindow;
  nowMs: number;
  /** Shows another period, at once on the screen. */
  show: (window: TimeWindow) => void;
  /** By a share of its length. */
  panBy: (share: number) => void;
  /** Around the middle by default. */
  zoomBy: (factor: number, aroundMs?: number) => void;
}

interface Drag {
  before: TimeWindow;
  startX: number;
  hasMoved: boolean;
}

/**
 * Gestures on the rows: a horizontal drag or wheel moves the time; Ctrl or ⌘ with the wheel, or two fingers, zooms
 * around the pointer. Vertical scrolling is left to the page.
 */
export function usePlotGestures(control: WindowControl, scale: TimeScale) {
  const width = scale.right - scale.left;
  const [element, ref] = useState<HTMLElement | null>(null);
  const latest = useRef({ control, scale });
  useEffect(() => {
    latest.current = { control, scale };
  });
  const drag = useRef<Drag | null>(null);
  const fingers = useRef(new Map<number, number>());

  // React listens to wheel events passively, but a zoom must call preventDefault to stop the browser's own zoom.
  useEffect(() => {
    if (element === null) return;
    const onWheel = (event: WheelEvent) => {
      const { control: now, scale: shown } = latest.current;
      if (shown.right === shown.left) return;
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        now.zoomBy(Math.exp(event.deltaY * ZOOM_PER_WHEEL_PX), momentAt(element, event.clientX, shown));
      } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        now.panBy(event.deltaX / (shown.right - shown.left));
      }
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [element]);

  function onPointerDown(event: React.PointerEvent<HTMLElement>) {
    drag.current = null;
    const target = event.target as HTMLElement;
    if (event.button !== 0 || target.closest('[data-plot]') === null || target.closest('[data-card]')) return;
    fingers.current.set(event.pointerId, event.clientX);
    drag.current = { before: control.window, startX: event.clientX, hasMoved: false };
  }

  function onPointerMove(event: React.PointerEvent<HTMLElement>) {
    const now = drag.current;
    if (now === null || !fingers.current.has(event.pointerId) || width === 0) return;
    // The pointer was released outside the window.
    if (event.buttons === 0) return fingers.current.clear();
    const spread = spreadOf(fingers.current);
    fingers.current.set(event.pointerId, event.clientX);
    if (fingers.current.size === 2 && element !== null) {
      now.hasMoved = true;
      const middle = [...fingers.current.values()].reduce((sum, x) => sum + x, 0) / 2;
      control.zoomBy(spread / Math.max(8, spreadOf(fingers.current)), momentAt(element, middle, scale));
      return;
    }
    const byPx = event.clientX - now.startX;
    if (!now.hasMoved && Math.abs(byPx) < MOVED_PX) return;
    if (!now.hasMoved) event.currentTarget.setPointerCapture(event.pointerId);
    now.hasMoved = true;
    control.show(panWindow(now.before, -byPx / width, control.nowMs));
  }

  function onPointerEnd(event: React.PointerEvent<HTMLElement>) {
    fingers.current.delete(event.pointerId);
    // Whether this is a drag or a click is not known yet.
    if (fingers.current.size === 0) setTimeout(() => (drag.current = null));
  }

  /** The click that ends a drag must not activate the element under the pointer. */
  function onClickCapture(event: React.MouseEvent<HTMLElement>) {
    if (drag.current?.hasMoved !== true) return;
    event.preventDefault();
    event.stopPropagation();
  }

  return {
    ref,
    className: 'relative touch-pan-y',
    onPointerDown,
    onPointerMove,
    onPointerUp: onPointerEnd,
    onPointerCancel: onPointerEnd,
    onClickCapture,
    onDragStart: (event: React.DragEvent) => event.preventDefault(),
  };
}

function spreadOf(fingers: ReadonlyMap<number, number>): number {
  const [one = 0, other = one] = fingers.values();
  return Math.max(8, Math.abs(one - other));
}

/** The time at a screen position. The plot is the widest cell of a row, not the whole row. */
function momentAt(element: HTMLElement, clientX: number, scale: TimeScale): number {
  const plot = element.querySelector('[data-plot]')?.getBoundingClientRect();
  const x = clientX - (plot?.left ?? element.getBoundingClientRect().left);
  return timeAt(scale, Math.min(scale.right, Math.max(scale.left, x)));
}
