'use client';

import { useEffect, useRef, useState } from 'react';
import { type TimelineWindow } from '@/components/fleet-timeline/use-timeline-window';
import { pan, type TimeWindow } from '@/lib/timeline/fleet-window';

/** What is moved less was a click. */
const MOVED_PX = 6;
const ZOOM_PER_WHEEL_PX = 0.002;

interface Hold {
  before: TimeWindow;
  startX: number;
  hasMoved: boolean;
}

/**
 * On the rows: a drag sideways moves the time, as does a wheel that turns sideways; with Ctrl or ⌘, or two fingers, it
 * zooms around the pointer. Up and down stays the page's own.
 */
export function usePlotGestures(control: TimelineWindow, width: number) {
  const [element, ref] = useState<HTMLElement | null>(null);
  const latest = useRef({ control, width });
  useEffect(() => {
    latest.current = { control, width };
  });
  const hold = useRef<Hold | null>(null);
  const fingers = useRef(new Map<number, number>());

  // React listens to wheels passively, and a zoom must keep the browser from zooming the page.
  useEffect(() => {
    if (element === null) return;
    const onWheel = (event: WheelEvent) => {
      const now = latest.current;
      if (now.width === 0) return;
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        now.control.zoomBy(Math.exp(event.deltaY * ZOOM_PER_WHEEL_PX), momentAt(element, event.clientX, now));
      } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        now.control.panBy(event.deltaX / now.width);
      }
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [element]);

  function onPointerDown(event: React.PointerEvent<HTMLElement>) {
    hold.current = null;
    const target = event.target as HTMLElement;
    if (event.button !== 0 || target.closest('[data-plot]') === null || target.closest('[data-card]')) return;
    fingers.current.set(event.pointerId, event.clientX);
    hold.current = { before: control.window, startX: event.clientX, hasMoved: false };
  }

  function onPointerMove(event: React.PointerEvent<HTMLElement>) {
    const now = hold.current;
    if (now === null || !fingers.current.has(event.pointerId) || width === 0) return;
    // It was let go where we did not hear of it.
    if (event.buttons === 0) return fingers.current.clear();
    const spread = spreadOf(fingers.current);
    fingers.current.set(event.pointerId, event.clientX);
    if (fingers.current.size === 2 && element !== null) {
      now.hasMoved = true;
      const middle = [...fingers.current.values()].reduce((sum, x) => sum + x, 0) / 2;
      control.zoomBy(
        spread / Math.max(8, spreadOf(fingers.current)),
        momentAt(element, middle, latest.current),
      );
      return;
    }
    const byPx = event.clientX - now.startX;
    if (!now.hasMoved && Math.abs(byPx) < MOVED_PX) return;
    if (!now.hasMoved) event.currentTarget.setPointerCapture(event.pointerId);
    now.hasMoved = true;
    control.show(pan(now.before, -byPx / width, control.nowMs));
  }

  function onPointerEnd(event: React.PointerEvent<HTMLElement>) {
    fingers.current.delete(event.pointerId);
    // The click that may come of it is still to be told apart.
    if (fingers.current.size === 0) setTimeout(() => (hold.current = null));
  }

  /** The click that ends a drag is none on what lies under the pointer. */
  function onClickCapture(event: React.MouseEvent<HTMLElement>) {
    if (hold.current?.hasMoved !== true) return;
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

/** The moment under a place of the screen; the plot is the widest part of the rows, somewhere in their middle. */
function momentAt(
  element: HTMLElement,
  clientX: number,
  { control, width }: { control: TimelineWindow; width: number },
): number {
  const plot = element.querySelector('[data-plot]')?.getBoundingClientRect();
  const x = clientX - (plot?.left ?? element.getBoundingClientRect().left);
  const { fromMs, toMs } = control.window;
  return fromMs + (Math.min(width, Math.max(0, x)) / width) * (toMs - fromMs);
}
