'use client';

import { memo, useRef } from 'react';
import Link from 'next/link';
import { clsx } from 'clsx';
import type { TimelineItem } from '@/lib/api/timeline';
import type { TimeFrame } from '@/lib/format/time';
import { recordPagePath } from '@/components/queries/records';
import { unobservedHatch, fillColors } from '@/components/fleet-timeline/rollout-colors';
import { appearanceOf, type RolloutAppearance } from '@/lib/timeline/appearance';
import { intervalOf } from '@/lib/timeline/fleet-rows';
import { positionOf, type TimeScale } from '@/lib/timeline/scale';
import { describeRollout } from '@/lib/timeline/fleet-text';

/** Minimum width to be visible. */
const BAR_PX_MIN = 3.5;
/** Minimum width to be clickable. */
const HIT_PX_MIN = 24;
/** Represents a period that Shiplog did not observe. */
const UNOBSERVED_PX = 22;

/** So far a bar may begin or end beyond the edge of the plot. */
const OVERHANG_PX = 4;

/** Position of a time on the plot, or a little beyond its edge. */
export function xOf(scale: TimeScale, ms: number): number {
  return positionOf(scale, ms, OVERHANG_PX);
}

/** One rollout from its start to its end, as a link to its record. Faint up to now while it is in progress. */
export const RolloutBar = memo(function RolloutBar({
  item,
  isReturn,
  scale,
  nowMs,
  frame,
  selected,
  onEnter,
  onLeave,
  onFocus,
}: {
  item: TimelineItem;
  isReturn: boolean;
  scale: TimeScale;
  nowMs: number;
  frame: TimeFrame;
  selected: boolean;
  onEnter: (id: string, element: HTMLElement) => void;
  onLeave: () => void;
  onFocus: (id: string, element: HTMLElement) => void;
}) {
  // A tap focuses first, and focus selects the bar before the tap counts as a click.
  const wasSelected = useRef(false);
  const stretch = intervalOf(item, nowMs);
  if (stretch === null) return null;
  const x = (ms: number) => xOf(scale, ms);
  const left = x(stretch.fromMs);
  const right = Math.max(x(stretch.toMs), left + BAR_PX_MIN);
  const width = right - left;
  const hitMargin = Math.max(0, (HIT_PX_MIN - width) / 2);
  const look = isReturn && item.outcome === 'completed' ? 'back' : appearanceOf(item);
  return (
    <Link
      href={recordPagePath(item.id)}
      prefetch={false}
      data-rollout={item.id}
      aria-label={describeRollout(item, frame)}
      onPointerEnter={(event) => event.pointerType === 'mouse' && onEnter(item.id, event.currentTarget)}
      onPointerLeave={onLeave}
      onPointerDown={() => (wasSelected.current = selected)}
      onFocus={(event) => onFocus(item.id, event.currentTarget)}
      onClick={(event) => {
        // The first tap only shows the card: a finger cannot hover first.
        if ((event.nativeEvent as PointerEvent).pointerType !== 'touch' || wasSelected.current) return;
        event.preventDefault();
        onFocus(item.id, event.currentTarget);
      }}
      className="absolute inset-y-0 rounded-2 focus-visible:-outline-offset-2"
      style={{ left: left - hitMargin, width: width + 2 * hitMargin }}
    >
      {stretch.isFromBound && <UnobservedEdge right={width + hitMargin} />}
      {stretch.isEndUnobserved && <UnobservedEdge left={hitMargin + (look === 'unknown' ? 0 : width)} />}
      <span
        data-bar=""
        className={clsx(
          'absolute top-1/2 -mt-[6px] block h-3 overflow-hidden rounded-2',
          selected && 'outline-2 outline-offset-1 outline-accent in-focus-visible:outline-none',
        )}
        style={{ left: hitMargin, width }}
      >
        <BarBody item={item} appearance={look} left={left} x={x} nowMs={nowMs} />
      </span>
    </Link>
  );
});

function BarBody({
  item,
  appearance,
  left,
  x,
  nowMs,
}: {
  item: TimelineItem;
  appearance: RolloutAppearance;
  left: number;
  x: (ms: number) => number;
  nowMs: number;
}) {
  const part = (fromMs: number, toMs: number) => ({
    left: x(fromMs) - left,
    width: Math.max(2, x(toMs) - x(fromMs)),
  });
  const isOpen = item.outcome === null;
  return (
    <>
      <span
        className="absolute inset-0"
        style={{
          background: isOpen ? fillColors.rolling : fillColors[appearance],
          opacity: isOpen ? 0.2 : 1,
        }}
      />
      {item.spans.map(({ kind, from, to }) => (
        <span
          key={`${kind} ${from}`}
          className={isOpen ? 'absolute inset-y-0 bg-canvas' : 'absolute bottom-0 h-1'}
          style={part(Date.parse(from), to === null ? nowMs : Date.parse(to))}
        >
          <span
            className="absolute inset-0"
            style={{ background: fillColors[kind], opacity: isOpen ? (kind === 'stuck' ? 0.3 : 0.22) : 1 }}
          />
        </span>
      ))}
      {item.unwatched.map(({ from, to }) => (
        <span
          key={from}
          className="absolute inset-y-0 opacity-60"
          style={{ ...part(Date.parse(from), Date.parse(to)), backgroundImage: unobservedHatch }}
        />
      ))}
      {item.steps.map(({ at, name }) => (
        <span
          key={`${name} ${at}`}
          className="absolute inset-y-0 w-[1.5px]"
          style={{
            left: x(Date.parse(at)) - left,
            background: isOpen ? fillColors[appearance] : 'var(--canvas)',
          }}
        />
      ))}
      {isOpen && (
        <span className="absolute inset-y-0 left-0 w-[3px]" style={{ background: fillColors[appearance] }} />
      )}
    </>
  );
}

/** Hatched and fading out: it began or ended at some time in this stretch. */
function UnobservedEdge({ left, right }: { left?: number; right?: number }) {
  const toward = left === undefined ? 'left' : 'right';
  return (
    <span
      data-bar=""
      className="pointer-events-none absolute top-1/2 -mt-[6px] h-3"
      style={{
        left,
        right,
        width: UNOBSERVED_PX,
        backgroundImage: unobservedHatch,
        maskImage: `linear-gradient(to ${toward}, black 40%, transparent)`,
      }}
    />
  );
}
