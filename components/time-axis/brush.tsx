'use client';

import { useRef } from 'react';
import { useTimeFrame } from '@/components/ui/time';
import { formatDay } from '@/lib/format/time';
import { positionOf, timeAt, type TimeScale } from '@/lib/timeline/scale';
import { panWindow, type TimeWindow, windowBetween } from '@/lib/timeline/time-window';

type Grip = 'from' | 'to' | 'body' | 'new';

interface Drag {
  grip: Grip;
  startX: number;
  startMs: number;
  before: TimeWindow;
  hasMoved: boolean;
}

/** A press that moves less than this does not draw a window. */
const MOVED_PX = 4;
const STEPS = 40;

/**
 * The window on the overview. Drag its body to move it, its ends to resize it, or outside it to draw a new one; tap
 * to move it to a place. Arrow keys move its ends.
 */
export function Brush({
  window,
  scale,
  endMs,
  height,
  onChange,
  onDragging,
}: {
  window: TimeWindow;
  /** The overview. */
  scale: TimeScale;
  /** The latest possible end. */
  endMs: number;
  height: number;
  onChange: (window: TimeWindow) => void;
  /** During a drag the overview must not move. */
  onDragging: (isHeld: boolean) => void;
}) {
  const drag = useRef<Drag | null>(null);
  const left = positionOf(scale, window.fromMs);
  const right = positionOf(scale, window.toMs);

  function onPointerDown(event: React.PointerEvent<HTMLDivElement>) {
    if (event.button !== 0) return;
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    const grip = (event.target as HTMLElement).dataset.grip as Grip | undefined;
    event.currentTarget.setPointerCapture(event.pointerId);
    onDragging(true);
    drag.current = {
      grip: grip ?? 'new',
      startX: x,
      startMs: timeAt(scale, x),
      before: window,
      hasMoved: false,
    };
  }

  function onPointerMove(event: React.PointerEvent<HTMLDivElement>) {
    const now = drag.current;
    if (now === null) return;
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    if (!now.hasMoved && Math.abs(x - now.startX) < MOVED_PX) return;
    now.hasMoved = true;
    onChange(dragged(now, timeAt(scale, x) - timeAt(scale, now.startX), endMs));
  }

  function onPointerUp() {
    const now = drag.current;
    drag.current = null;
    onDragging(false);
    if (now === null || now.hasMoved || now.grip !== 'new') return;
    const { fromMs, toMs } = now.before;
    onChange(panWindow(now.before, (now.startMs - (fromMs + toMs) / 2) / (toMs - fromMs), endMs));
  }

  return (
    <div
      data-brush=""
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={() => {
        drag.current = null;
        onDragging(false);
      }}
      className="absolute inset-x-0 top-0 cursor-crosshair touch-pan-y [overflow-clip-margin:6px] [overflow:clip]"
      style={{ height }}
    >
      <div
        data-grip="body"
        className="absolute inset-y-0 cursor-grab bg-accent/15 active:cursor-grabbing"
        style={{ left, width: Math.max(2, right - left) }}
      />
      <Handle
        label="Beginning of the period"
        grip="from"
        x={left}
        ms={window.fromMs}
        bounds={{ fromMs: scale.fromMs, toMs: window.toMs }}
        stepMs={(window.toMs - window.fromMs) / STEPS}
        onMove={(ms) => onChange(windowBetween(Math.min(ms, window.toMs), window.toMs, endMs))}
      />
      <Handle
        label="End of the period"
        grip="to"
        x={right}
        ms={window.toMs}
        bounds={{ fromMs: window.fromMs, toMs: endMs }}
        stepMs={(window.toMs - window.fromMs) / STEPS}
        onMove={(ms) => onChange(windowBetween(window.fromMs, Math.max(ms, window.fromMs), endMs))}
      />
    </div>
  );
}

function dragged({ grip, startMs, before }: Drag, byMs: number, endMs: number): TimeWindow {
  switch (grip) {
    case 'body':
      return panWindow(before, byMs / (before.toMs - before.fromMs), endMs);
    case 'from':
      return windowBetween(before.fromMs + byMs, before.toMs, endMs);
    case 'to':
      return windowBetween(before.fromMs, before.toMs + byMs, endMs);
    case 'new':
      return windowBetween(startMs, startMs + byMs, endMs);
    default:
      return grip satisfies never;
  }
}

function Handle({
  label,
  grip,
  x,
  ms,
  bounds,
  stepMs,
  onMove,
}: {
  label: string;
  grip: 'from' | 'to';
  x: number;
  ms: number;
  bounds: TimeWindow;
  stepMs: number;
  onMove: (ms: number) => void;
}) {
  const frame = useTimeFrame();
  const steps: Record<string, number> = {
    ArrowLeft: -stepMs,
    ArrowRight: stepMs,
    ArrowDown: -stepMs,
    ArrowUp: stepMs,
    PageDown: -10 * stepMs,
    PageUp: 10 * stepMs,
  };
  return (
    <div
      role="slider"
      tabIndex={0}
      data-grip={grip}
      aria-label={label}
      aria-valuemin={Math.round(bounds.fromMs / 1_000)}
      aria-valuemax={Math.round(bounds.toMs / 1_000)}
      aria-valuenow={Math.round(ms / 1_000)}
      aria-valuetext={formatDay(ms, frame)}
      onKeyDown={(event) => {
        const step = steps[event.key];
        if (step === undefined) return;
        event.preventDefault();
        onMove(ms + step);
      }}
      className="group absolute inset-y-0 w-6 cursor-ew-resize focus-visible:outline-none"
      style={{ left: grip === 'from' ? x - 23 : x - 1 }}
    >
      <span
        className={`pointer-events-none absolute inset-y-0 w-0.5 bg-accent ${grip === 'from' ? 'right-0' : 'left-0'}`}
      />
      <span
        className={`pointer-events-none absolute top-1/2 -mt-2 h-4 w-[9px] rounded-2 border-[1.5px] border-accent bg-surface group-focus-visible:outline-2 group-focus-visible:outline-focus ${grip === 'from' ? '-right-[4px]' : '-left-[4px]'}`}
      />
    </div>
  );
}
