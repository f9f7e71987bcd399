import { formatDuration } from '@/lib/format/duration';
import { type Axis, piecesOf } from '@/lib/timeline/axis';
import type { ActivationBar, Bar, Lane } from '@/lib/timeline/lanes';
import { type PodInterval, intervalsWithin } from '@/lib/timeline/pod-profile';
import { partsOf } from '@/lib/timeline/span';
import { stairPath } from '@/lib/timeline/stair-path';
import { textWidth } from '@/lib/timeline/text-width';

/**
 * `target`, `live`, `past`: what the revision is now. `failed`, `back`: its rollout failed, or was rolled
 * back. `unready`: pods that are not ready though they should be. `starting`: the same while there is no
 * problem yet. `unknown`: not observed.
 */
export type BarAppearance =
  'target' | 'live' | 'past' | 'failed' | 'back' | 'unready' | 'starting' | 'unknown';

export interface BarBox {
  appearance: BarAppearance;
  /** The rollout was still in progress: drawn pale. */
  rolling: boolean;
  left: number;
  width: number;
  top: number;
  height: number;
  /** Drawn on the bar where it fits. */
  text: string | null;
  /** Pods over time as path data, where they were sampled: all of them, and those that were ready. */
  pods: string | null;
  ready: string | null;
  /** The activation of the bar; null for pods that merely still run. */
  activation: ActivationBar | null;
}

interface BarFrame {
  axis: Axis;
  /** Top of the lane. */
  top: number;
  laneHeight: number;
  /** The number of pods of the thickest bar. */
  podsMax: number;
  nowMs: number;
  /** The rollout has a problem: pods that are not ready are drawn so. */
  trouble: boolean;
  /** The rollout to the target had completed: pods that are not ready now were ready once. */
  settled: boolean;
}

/** A shorter bar is neither visible nor clickable. */
const BAR_WIDTH_MIN = 3.5;
const BAR_HEIGHT_MIN = 4;
/** Below that width a text does not fit into a bar. */
const TEXT_HEIGHT = 11;

/** The boxes of one lane, oldest first; later ones cover earlier ones. */
export function barBoxes(lane: Lane, frame: BarFrame): BarBox[] {
  const last = lane.bars.findLast((bar) => bar.kind === 'activation');
  const boxes = lane.bars.flatMap((bar) => boxesOf(bar, lane, bar === last, frame));
  const leaving = leavingBoxes(lane, frame);
  return lane.role === 'past' ? [...leaving, ...boxes] : [...leaving, ...boxes, ...unreadyBoxes(lane, frame)];
}

function boxesOf(bar: Bar, lane: Lane, isLast: boolean, frame: BarFrame): BarBox[] {
  const isPast = lane.role === 'past' || (bar.kind === 'activation' && !isLast);
  const height = isPast ? pastHeight(frame) : liveHeight(lane.pods.total, frame);
  const shape = { frame, height, profile: lane.profile };
  if (bar.kind === 'running') {
    const text = `${lane.pods.total} ${lane.pods.total === 1 ? 'pod' : 'pods'}`;
    const appearance = bar.certain ? (isPast ? 'past' : lane.role) : 'unknown';
    return placeBar(bar.fromMs, bar.toMs, { ...shape, appearance, text });
  }
  const appearance = isPast ? outcomeAppearance(bar) : lane.role;
  const base = { ...shape, activation: bar };
  const boxes = partsOf(bar.span).flatMap((part) => {
    if (!part.certain) return placeBar(part.fromMs, part.toMs, { ...base, appearance: 'unknown' });
    const text = durationText(bar, lane, part.toMs - part.fromMs);
    const phases = phasesOf(bar, part.fromMs, part.toMs);
    return phases.flatMap((phase, index) =>
      placeBar(phase.fromMs, phase.toMs, {
        ...base,
        appearance,
        text: index === phases.length - 1 ? text : null,
        rolling: phase.rolling,
      }),
    );
  });
  return bar.open ? [...boxes, ...currentTargetBox(boxes, { ...base, appearance })] : boxes;
}

/** A failed rollout fills its activation: another one followed. */
function outcomeAppearance({ record }: ActivationBar): BarAppearance {
  if (record?.outcome === 'failed') return 'failed';
  return record?.outcome === 'rolledBack' || record?.outcome === 'undone' ? 'back' : 'past';
}

/** The target is the target now, however little is known of its start. */
function currentTargetBox(boxes: readonly BarBox[], shape: BarShape): BarBox[] {
  const { nowMs } = shape.frame;
  return boxes.at(-1)?.appearance === 'unknown' ? placeBar(nowMs, nowMs, shape) : [];
}

/** A phase of an activation: its rollout in progress, or settled. Times in milliseconds since 1970. */
interface Phase {
  rolling: boolean;
  fromMs: number;
  toMs: number;
}

/** A certain part of an activation, divided where its rollout was over, as far as that was recorded. */
function phasesOf({ record }: ActivationBar, fromMs: number, toMs: number): Phase[] {
  const overMs = record === null ? fromMs : rolloutEndMs(record.outcome, record.endedAt, fromMs, toMs);
  const middle = Math.min(toMs, Math.max(fromMs, overMs));
  return [
    { rolling: true, fromMs, toMs: middle },
    { rolling: false, fromMs: middle, toMs },
  ].filter((phase) => phase.toMs > phase.fromMs);
}

function rolloutEndMs(
  outcome: NonNullable<ActivationBar['record']>['outcome'],
  endedAt: string | null,
  fromMs: number,
  toMs: number,
): number {
  switch (outcome) {
    case null:
    case 'rolledBack':
    case 'undone':
    case 'superseded':
      return toMs;
    case 'completed':
    case 'failed':
    case 'noPods':
      return endedAt === null ? fromMs : Date.parse(endedAt);
    case 'unknown':
      return fromMs;
    default:
      return outcome satisfies never;
  }
}

function durationText(bar: ActivationBar, lane: Lane, durationMs: number): string {
  const duration = formatDuration(durationMs);
  return lane.formerNumbers.length === 0 ? duration : `as ${bar.number}: ${duration}`;
}

/** Pods that ran the revision while another one was already the target, as far as they were sampled. */
function leavingBoxes(lane: Lane, frame: BarFrame): BarBox[] {
  const starts = lane.bars.map((bar) => (bar.kind === 'running' ? bar.fromMs : bar.span.startMin));
  const ends = lane.bars.map((bar) => (bar.kind === 'running' ? bar.toMs : bar.span.endMax));
  return ends.flatMap((end, index) => {
    const until = starts[index + 1] ?? frame.nowMs;
    return runsOf(intervalsWithin(lane.profile, end, until)).flatMap(({ fromMs, toMs }) =>
      placeBar(fromMs, toMs, { frame, height: 0, profile: lane.profile, appearance: 'past', rolling: true }),
    );
  });
}

/** Merges ranges that touch. */
function runsOf(stretches: readonly PodInterval[]): { fromMs: number; toMs: number }[] {
  const runs: { fromMs: number; toMs: number }[] = [];
  for (const { fromMs, toMs } of stretches) {
    const last = runs.at(-1);
    if (last?.toMs === fromMs) last.toMs = toMs;
    else runs.push({ fromMs, toMs });
  }
  return runs;
}

/**
 * The share of the pods that is not ready, at the lower edge of the bar, from the time since when that is
 * known.
 */
function unreadyBoxes(lane: Lane, frame: BarFrame): BarBox[] {
  const { total, ready } = lane.pods;
  if (total === 0 || ready >= total) return [];
  const fromMs = unreadyFrom(lane, frame);
  // Samples are more exact: how many were ready at each time.
  if (!frame.trouble && intervalsWithin(lane.profile, fromMs, frame.nowMs).length > 0) return [];
  const full = liveHeight(total, frame);
  const height = Math.max(BAR_HEIGHT_MIN, (full * (total - ready)) / total);
  const appearance = frame.trouble ? 'unready' : 'starting';
  return placeBar(fromMs, frame.nowMs, { frame, height, profile: [], appearance }).map((box) => ({
    ...box,
    top: frame.top + (frame.laneHeight + full) / 2 - height,
  }));
}

/**
 * Until a rollout is over its pods are not ready from its start; after that, only from the time that a pod
 * proves.
 */
function unreadyFrom(lane: Lane, { nowMs, settled }: BarFrame): number {
  const open = lane.bars.find((bar) => bar.kind === 'activation' && bar.open);
  if (!settled && open?.kind === 'activation') return open.span.startMax;
  return lane.unreadySinceMs ?? nowMs;
}

interface BarShape {
  frame: BarFrame;
  /** Where no sample covers the pods. */
  height: number;
  profile: readonly PodInterval[];
  appearance: BarAppearance;
  text?: string | null;
  rolling?: boolean;
  activation?: ActivationBar;
}

function placeBar(fromMs: number, toMs: number, shape: BarShape): BarBox[] {
  const { frame, appearance, text = null, rolling = false, activation = null } = shape;
  const { axis, top, laneHeight } = frame;
  const sampled = appearance === 'unknown' ? [] : intervalsWithin(shape.profile, fromMs, toMs);
  return piecesOf(axis, fromMs, toMs).map((piece, index) => {
    const width = Math.max(BAR_WIDTH_MIN, piece.right - piece.left);
    const left = Math.min(piece.left, piece.right - (piece.cutRight ? 0 : width));
    const steps = sampled.map((stretch) => stepOf(stretch, piece, axis, frame));
    const height = steps.length === 0 ? shape.height : Math.max(...steps.map((step) => step.height));
    const middle = top + laneHeight / 2;
    const fits =
      text !== null &&
      index === 0 &&
      // A number of pods is that of the whole bar.
      (activation !== null || steps.every((step) => step.height === height)) &&
      // Where the pods that are ready fill a part of it, no ink is legible on both.
      !(rolling && steps.length > 0) &&
      textWidth(text) + 14 <= width &&
      Math.min(
        height,
        ...steps.filter((step) => step.left < left + 14 + textWidth(text)).map((step) => step.height),
      ) >= TEXT_HEIGHT;
    return {
      appearance,
      rolling,
      left,
      width,
      top: middle - height / 2,
      height,
      text: fits ? text : null,
      pods: stairPath(steps, { left, right: left + width, height: shape.height }, middle),
      ready: rolling
        ? stairPath(
            steps.map((step) => ({ ...step, height: step.ready })),
            { left, right: left + width, height: 0 },
            middle,
          )
        : null,
      activation,
    };
  });
}

function stepOf(
  stretch: PodInterval,
  piece: { left: number; right: number },
  axis: Axis,
  frame: BarFrame,
): { left: number; right: number; height: number; ready: number } {
  const clamp = (x: number) => Math.min(piece.right, Math.max(piece.left, x));
  return {
    left: clamp(axis.x(stretch.fromMs)),
    right: clamp(axis.x(stretch.toMs)),
    height: liveHeight(stretch.pods, frame),
    ready: stretch.ready === 0 ? 0 : liveHeight(stretch.ready, frame),
  };
}

function pastHeight({ laneHeight }: BarFrame): number {
  return Math.round(laneHeight * 0.5);
}

function liveHeight(pods: number, { laneHeight, podsMax }: BarFrame): number {
  return Math.max(BAR_HEIGHT_MIN, (laneHeight * 0.66 * pods) / Math.max(1, podsMax));
}
