import { formatDuration } from '@/lib/format/duration';
import { type Axis, piecesOf } from '@/lib/timeline/axis';
import { type Bar, type Lane } from '@/lib/timeline/lanes';
import { partsOf } from '@/lib/timeline/span';
import { textWidth } from '@/lib/timeline/text-width';

/**
 * `target`, `live`, `past`: what the revision is now. `unready`: pods that are not ready though they should be.
 * `starting`: the same while nothing is wrong yet. `unknown`: the cluster does not prove it.
 */
export type BarLook = 'target' | 'live' | 'past' | 'unready' | 'starting' | 'unknown';

export interface BarBox {
  look: BarLook;
  left: number;
  width: number;
  top: number;
  height: number;
  /** Written on the bar where it fits. */
  text: string | null;
}

export interface BarFrame {
  axis: Axis;
  /** Top of the lane. */
  top: number;
  laneHeight: number;
  /** As many pods as the thickest bar stands for. */
  podsMax: number;
  nowMs: number;
  /** The rollout is in trouble: pods that are not ready are drawn as such. */
  trouble: boolean;
  /** The rollout to the target was over before: pods that are not ready now were ready once. */
  settled: boolean;
}

/** What is shorter can't be seen or hit. */
const BAR_WIDTH_MIN = 3.5;
const BAR_HEIGHT_MIN = 4;

/** The boxes of one lane, oldest first; later ones cover earlier ones. */
export function barBoxes(lane: Lane, frame: BarFrame): BarBox[] {
  const last = lane.bars.findLast((bar) => bar.kind === 'activation');
  const boxes = lane.bars.flatMap((bar) => boxesOf(bar, lane, bar === last, frame));
  return lane.role === 'past' ? boxes : [...boxes, ...unreadyBoxes(lane, frame)];
}

function boxesOf(bar: Bar, lane: Lane, isLast: boolean, frame: BarFrame): BarBox[] {
  const isPast = lane.role === 'past' || (bar.kind === 'activation' && !isLast);
  const look = isPast ? 'past' : lane.role;
  const height = isPast ? pastHeight(frame) : liveHeight(lane.pods.total, frame);
  if (bar.kind === 'running') {
    const text = `${lane.pods.total} ${lane.pods.total === 1 ? 'pod' : 'pods'}`;
    return place(bar.fromMs, bar.toMs, bar.certain ? look : 'unknown', height, frame, text);
  }
  const boxes = partsOf(bar.span).flatMap((part) => {
    const text = part.certain ? durationText(bar, lane, part.toMs - part.fromMs) : null;
    return place(part.fromMs, part.toMs, part.certain ? look : 'unknown', height, frame, text);
  });
  return bar.open ? [...boxes, ...presentBox(boxes, look, height, frame)] : boxes;
}

/** The target is the target now, however little is known of its beginning. */
function presentBox(boxes: readonly BarBox[], look: BarLook, height: number, frame: BarFrame): BarBox[] {
  return boxes.at(-1)?.look === 'unknown' ? place(frame.nowMs, frame.nowMs, look, height, frame, null) : [];
}

function durationText(bar: Bar & { kind: 'activation' }, lane: Lane, durationMs: number): string {
  const duration = formatDuration(durationMs);
  return lane.was.length === 0 ? duration : `as ${bar.number}: ${duration}`;
}

/** The part of the pods that is not ready, at the lower edge of the bar, from when on that is known. */
function unreadyBoxes(lane: Lane, frame: BarFrame): BarBox[] {
  const { total, ready } = lane.pods;
  if (total === 0 || ready >= total) return [];
  const full = liveHeight(total, frame);
  const height = Math.max(BAR_HEIGHT_MIN, (full * (total - ready)) / total);
  const fromMs = unreadyFrom(lane, frame);
  const look = frame.trouble ? 'unready' : 'starting';
  return place(fromMs, frame.nowMs, look, height, frame, null).map((box) => ({
    ...box,
    top: frame.top + (frame.laneHeight + full) / 2 - height,
  }));
}

/** Until a rollout is over its pods are not ready from its beginning; after that, only from when a pod proves it. */
function unreadyFrom(lane: Lane, { nowMs, settled }: BarFrame): number {
  const open = lane.bars.find((bar) => bar.kind === 'activation' && bar.open);
  if (!settled && open?.kind === 'activation') return open.span.startMax;
  return lane.unreadySinceMs ?? nowMs;
}

function place(
  fromMs: number,
  toMs: number,
  look: BarLook,
  height: number,
  { axis, top, laneHeight }: BarFrame,
  text: string | null,
): BarBox[] {
  return piecesOf(axis, fromMs, toMs).map((piece, index) => {
    const width = Math.max(BAR_WIDTH_MIN, piece.right - piece.left);
    const fits = text !== null && index === 0 && height >= 11 && textWidth(text) + 14 <= width;
    return {
      look,
      left: Math.min(piece.left, piece.right - (piece.cutRight ? 0 : width)),
      width,
      top: top + (laneHeight - height) / 2,
      height,
      text: fits ? text : null,
    };
  });
}

function pastHeight({ laneHeight }: BarFrame): number {
  return Math.round(laneHeight * 0.5);
}

function liveHeight(pods: number, { laneHeight, podsMax }: BarFrame): number {
  return Math.max(BAR_HEIGHT_MIN, (laneHeight * 0.66 * pods) / Math.max(1, podsMax));
}
