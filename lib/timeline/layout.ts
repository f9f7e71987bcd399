import { outcomeText } from '@/lib/view/record-text';
import { type Axis, createAxis, piecesOf } from '@/lib/timeline/axis';
import { type BarBox, barBoxes } from '@/lib/timeline/bar-layout';
import type { EventMark } from '@/lib/timeline/event-marks';
import type { Lane, Lanes } from '@/lib/timeline/lanes';
import { type TransitionLine, layoutTransitions } from '@/lib/timeline/transition-layout';
import { type RangeName, rangeStart, rangeTitle } from '@/lib/timeline/timeline-range';
import { textWidth } from '@/lib/timeline/text-width';
import { type Tick, ticksOf } from '@/lib/timeline/ticks';
import { formatDuration } from '@/lib/format/duration';

interface PlacedMark {
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

export interface TimelineInput {
  lanes: Lanes;
  events: readonly EventMark[];
  range: RangeName;
  /** The workload's desired pods. */
  desired: number;
  trouble: boolean;
  /** The rollout to the target was over once. */
  settled: boolean;
  /** When the workload itself was created. */
  createdMs: number;
  nowMs: number;
  timeZone: string;
  width: number;
  /** For touch: taller lanes, less text. */
  compact: boolean;
  /** The most lanes that are drawn, from the top. */
  lanesMax: number;
}

export interface LaneBox {
  lane: Lane;
  top: number;
  boxes: readonly BarBox[];
  labels: readonly BarLabel[];
  /** The text at the end of the lane. */
  endText: string;
}

export interface TimelineLayout {
  width: number;
  height: number;
  laneHeight: number;
  lanesTop: number;
  lanesBottom: number;
  axis: Axis;
  titles: readonly { x: number; text: string }[];
  ticks: readonly Tick[];
  lanes: readonly LaneBox[];
  transitions: readonly TransitionLine[];
  marks: readonly PlacedMark[];
  /** Before the first known activation, while the workload existed: pruned revisions. */
  unrecorded: readonly { left: number; right: number; text: string | null }[];
}

const LANES_TOP = 34;
const BELOW_LANES = 62;
const wide = { laneHeight: 26, left: 132, right: 126, tickDistance: 62 };
const narrow = { laneHeight: 34, left: 66, right: 78, tickDistance: 58 };

/** Positions of everything that the timeline draws, in pixels. */
export function layoutTimeline(input: TimelineInput): TimelineLayout {
  const frame = input.compact ? narrow : wide;
  const start = rangeStart(input.range, Math.min(input.lanes.earliestMs, input.createdMs), input.nowMs);
  const axis = createAxis(
    start,
    input.nowMs,
    frame.left,
    Math.max(frame.left + 60, input.width - frame.right),
  );
  const middleOf = (lane: number) => LANES_TOP + (lane + 0.5) * frame.laneHeight;
  const indexes = shownIndexes(input.lanes.lanes, input.lanesMax);
  const shown = indexes.flatMap((index) => input.lanes.lanes[index] ?? []);
  const lanesBottom = LANES_TOP + shown.length * frame.laneHeight;
  const transitions = input.lanes.transitions
    .map((each) => ({
      ...each,
      fromLane: indexes.indexOf(each.fromLane),
      toLane: indexes.indexOf(each.toLane),
    }))
    .filter(({ fromLane, toLane }) => fromLane >= 0 && toLane >= 0);
  return {
    width: input.width,
    height: lanesBottom + BELOW_LANES,
    laneHeight: frame.laneHeight,
    lanesTop: LANES_TOP,
    lanesBottom,
    axis,
    titles: titlesOf(axis, input.range),
    ticks: axis.panels.flatMap((panel) =>
      shownTicks(axis, ticksOf(panel, input.timeZone, frame.tickDistance)),
    ),
    lanes: shown.map((lane, index) => laneBox(lane, index, axis, frame.laneHeight, input)),
    transitions: layoutTransitions(transitions, axis, middleOf),
    marks: placeMarks([...input.events, ...workloadMarks(input)], axis),
    unrecorded: unrecordedOf(input, axis),
  };
}

/** Those of the newest templates, and in any case the live ones: a rollback can make an old template the target. */
function shownIndexes(lanes: readonly Lane[], lanesMax: number): number[] {
  const byUrgency = [...lanes.keys()].sort((a, b) => pastRank(lanes[a]) - pastRank(lanes[b]) || a - b);
  return byUrgency.slice(0, lanesMax).sort((a, b) => a - b);
}

function pastRank(lane: Lane | undefined): number {
  return lane?.role === 'past' ? 1 : 0;
}

function laneBox(
  lane: Lane,
  index: number,
  axis: Axis,
  laneHeight: number,
  { desired, lanes, nowMs, trouble, settled, compact }: TimelineInput,
): LaneBox {
  const top = LANES_TOP + index * laneHeight;
  const podsMax = Math.max(desired, ...lanes.lanes.map(podsMaxOf));
  const boxes = barBoxes(lane, { axis, top, laneHeight, podsMax, nowMs, trouble, settled });
  return {
    lane,
    top,
    boxes,
    labels: compact ? [] : placeBarLabels(boxes, axis),
    endText: endText(lane, compact),
  };
}

function podsMaxOf({ pods, profile }: Lane): number {
  return profile.reduce((most, range) => Math.max(most, range.pods), pods.total);
}

function endText({ role, pods, note }: Lane, compact: boolean): string {
  if (role === 'past') return note;
  if (pods.total === 0) return 'no pods';
  // A phone has room for nine letters.
  if (compact) return pods.ready === pods.total ? `${pods.total} ready` : `${pods.ready}/${pods.total} ready`;
  return `${pods.total} ${pods.total === 1 ? 'pod' : 'pods'}, ${pods.ready} ready`;
}

function titlesOf(axis: Axis, range: RangeName): { x: number; text: string }[] {
  const [first, second] = axis.panels;
  if (first === undefined) return [];
  if (second === undefined) return [{ x: first.left, text: rangeTitle(range) }];
  return [
    { x: first.left, text: rangeTitle(range) },
    { x: second.left, text: rangeTitle('1h') },
  ];
}

/** The present is labeled at the end of the axis; a tick too near to it or to the break would overlap. */
function shownTicks(axis: Axis, ticks: readonly Tick[]): Tick[] {
  return ticks
    .filter(({ x }) => x < axis.nowX - 34)
    .filter(({ x, label }) => axis.breakAt === null || !isOver(x, label, axis.breakAt));
}

function isOver(x: number, label: string, at: { left: number; right: number }): boolean {
  const half = textWidth(label) / 2;
  return x + half > at.left && x - half < at.right;
}

/** What the workload itself proves: its creation, and its restarts. */
function workloadMarks({ lanes, createdMs }: TimelineInput): EventMark[] {
  const restarts = lanes.lanes.flatMap(({ restart }) =>
    restart !== null && restart.startMin === restart.startMax
      ? [{ atMs: restart.startMin, warning: false, label: 'restart' }]
      : [],
  );
  return [{ atMs: createdMs, warning: false, label: 'created' }, ...restarts];
}

function unrecordedOf({ lanes, createdMs }: TimelineInput, axis: Axis): TimelineLayout['unrecorded'] {
  const text = 'not observed';
  return piecesOf(axis, createdMs, lanes.earliestMs)
    .filter(({ left, right }) => right - left > 2)
    .map(({ left, right }) => ({
      left,
      right,
      text: right - left > textWidth(text) + 8 ? text : null,
    }));
}

/** The note of a bar that is too short for it: how its rollout ended, changed by whom and its duration. */
interface BarLabel {
  x: number;
  anchor: 'start' | 'end';
  outcome: string;
  rest: string;
  appearance: 'failed' | 'back';
}

const LABEL_GAP = 7;
/** The curve of a rollback at the end of the axis turns to the left; the text leaves room for it. */
const CURVE_ROOM = 42;

/**
 * Places notes at the bars of failed rollouts, where they cover nothing in the lane; to the left where both
 * fit.
 */
function placeBarLabels(boxes: readonly BarBox[], axis: Axis): BarLabel[] {
  const first = axis.panels[0]?.left ?? 0;
  const occupied = boxes.map(({ left, width }) => ({ left, right: left + width }));
  return boxes.flatMap(({ appearance, left, width, activation }): BarLabel[] => {
    if ((appearance !== 'failed' && appearance !== 'back') || activation?.record == null) return [];
    const { outcome, rest } = labelTexts(activation.record);
    const room = textWidth(outcome + rest) + 2 * LABEL_GAP;
    const isFree = (from: number, to: number) =>
      from >= first && to <= axis.nowX && occupied.every((each) => to <= each.left || from >= each.right);
    const end = appearance === 'back' && left + CURVE_ROOM > axis.nowX ? left - CURVE_ROOM : left;
    if (isFree(end - room, end)) {
      occupied.push({ left: end - room, right: end });
      return [{ x: end - LABEL_GAP, anchor: 'end', outcome, rest, appearance }];
    }
    const right = left + width;
    if (!isFree(right, right + room)) return [];
    occupied.push({ left: right, right: right + room });
    return [{ x: right + LABEL_GAP, anchor: 'start', outcome, rest, appearance }];
  });
}

function labelTexts(record: NonNullable<NonNullable<BarBox['activation']>['record']>) {
  const { startedAt, endedAt } = record;
  const after =
    startedAt === null || endedAt === null
      ? ''
      : ` after ${formatDuration(Date.parse(endedAt) - Date.parse(startedAt))}`;
  return { outcome: outcomeText(record), rest: after };
}
