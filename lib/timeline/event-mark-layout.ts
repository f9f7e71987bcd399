import { type Axis } from '@/lib/timeline/axis';
import { type EventMark } from '@/lib/timeline/event-marks';
import { textWidth } from '@/lib/timeline/text-width';

export interface PlacedMark {
  x: number;
  warning: boolean;
  /** The full text, shown on hover. */
  label: string;
  /** Position of the label; null where there is no room for it. */
  text: { x: number; anchor: 'start' | 'end' } | null;
}

const SHAPE = 6;
const GAP = 9;

/** Marks that the axis shows, oldest first, each label on the side where it covers nothing. */
export function placeMarks(marks: readonly EventMark[], axis: Axis): PlacedMark[] {
  const startMs = axis.panels[0]?.fromMs ?? 0;
  const shown = marks.filter((mark) => mark.atMs >= startMs).sort((a, b) => a.atMs - b.atMs);
  const places = shown.map((mark) => ({ mark, x: axis.x(mark.atMs) }));
  const occupied = places.map(({ x }) => ({ from: x - SHAPE, to: x + SHAPE }));
  const left = axis.panels[0]?.left ?? 0;
  const isFree = (from: number, to: number) =>
    from >= left && to <= axis.nowX && occupied.every((each) => to <= each.from || from >= each.to);
  return places.map(({ mark, x }) => {
    const width = textWidth(mark.label);
    const base = { x, warning: mark.warning, label: mark.label };
    const sides = [
      { from: x + SHAPE + 0.1, to: x + GAP + width, text: { x: x + GAP, anchor: 'start' as const } },
      { from: x - GAP - width, to: x - SHAPE - 0.1, text: { x: x - GAP, anchor: 'end' as const } },
    ];
    const side = sides.find(({ from, to }) => isFree(from, to));
    if (side) occupied.push({ from: side.from, to: side.to + 6 });
    return { ...base, text: side?.text ?? null };
  });
}
