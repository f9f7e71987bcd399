'use client';

import { Bar } from '@/components/timeline/bar';
import type { HatchIds } from '@/components/timeline/hatches';
import type { BarBox } from '@/lib/timeline/bar-layout';
import type { ActivationBar } from '@/lib/timeline/lanes';

/** An activation with the position of its bars, in pixels of the drawing. */
export interface ShownActivation {
  laneId: string;
  activation: ActivationBar;
  left: number;
  right: number;
  bottom: number;
}

/** What the pointer and the keyboard do with the card of an activation. */
export interface CardHandlers {
  onPeek: (shown: ShownActivation) => void;
  onLeave: () => void;
  onOpen: (shown: ShownActivation) => void;
}

/** Minimum size of a bar as a pointer target. */
const HIT_WIDTH = 14;

/** One activation: its bars as one element that can be hovered, reached with Tab and opened. */
export function Activation({
  boxes,
  label,
  activation,
  laneId,
  laneTop,
  laneHeight,
  expanded,
  ids,
  onPeek,
  onLeave,
  onOpen,
}: CardHandlers & {
  boxes: readonly BarBox[];
  label: string;
  activation: ActivationBar;
  laneId: string;
  laneTop: number;
  laneHeight: number;
  expanded: boolean;
  ids: HatchIds;
}) {
  const left = Math.min(...boxes.map((box) => box.left));
  const right = Math.max(...boxes.map((box) => box.left + box.width));
  const slack = Math.max(0, HIT_WIDTH - (right - left)) / 2;
  // Voice control matches the visible text of the bar.
  const texts = boxes.flatMap(({ text }) => text ?? []);
  const shown = { laneId, activation, left, right, bottom: laneTop + laneHeight };
  return (
    <g
      role="button"
      tabIndex={0}
      aria-label={[...texts, label].join(', ')}
      aria-haspopup="dialog"
      aria-expanded={expanded}
      data-activation={`${laneId} ${activation.number}`}
      onPointerEnter={(event) => event.pointerType === 'mouse' && onPeek(shown)}
      onPointerLeave={(event) => event.pointerType === 'mouse' && onLeave()}
      onClick={(event) => {
        event.stopPropagation();
        onOpen(shown);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        onOpen(shown);
      }}
      className="group/bar cursor-pointer outline-none"
    >
      {boxes.map((box, index) => (
        <Bar key={index} box={box} ids={ids} />
      ))}
      <rect
        x={left - slack}
        y={laneTop + 1}
        width={right - left + 2 * slack}
        height={laneHeight - 2}
        rx={2}
        className="fill-transparent group-focus-visible/bar:stroke-focus group-focus-visible/bar:stroke-2"
      />
    </g>
  );
}
