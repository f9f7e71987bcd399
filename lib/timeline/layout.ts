import { type Axis, createAxis, piecesOf } from '@/lib/timeline/axis';
import { type BarBox, barBoxes } from '@/lib/timeline/bar-layout';
import { type BesideText, besideTexts } from '@/lib/timeline/beside-layout';
import { type EventMark } from '@/lib/timeline/event-marks';
import { type Lane, type Lanes } from '@/lib/timeline/lanes';
import { type MarkPlace, markPlaces } from '@/lib/timeline/mark-layout';
import { type PassageLine, passageLines } from '@/lib/timeline/passage-layout';
import { type StretchName, stretchStart, stretchTitle } from '@/lib/timeline/stretch';
import { textWidth } from '@/lib/timeline/text-width';
import { type Tick, ticksOf } from '@/lib/timeline/ticks';

export interface TimelineInput {
  lanes: Lanes;
  events: readonly EventMark[];
  stretch: StretchName;
  /** Pods that the workload wants. */
  desired: number;
  trouble: boolean;
  /** The rollout to the target was over once. */
  settled: boolean;
  /** When the workload itself was created. */
  createdMs: number;
  nowMs: number;
  timeZone: string;
  width: number;
  /** For a thumb: taller lanes, fewer words. */
  compact: boolean;
  /** No more lanes than this are drawn, from the top. */
  lanesMax: number;
}

export interface LaneBox {
  lane: Lane;
  top: number;
  boxes: readonly BarBox[];
  beside: readonly BesideText[];
  /** What the end of the lane says. */
  end: string;
}

export interface TimelineLayout {
  width: number;
  height: number;
  laneHeight: number;
  lanesTop: number;
  lanesBottom: number;
  axis: Axis;
  titles: readonly { x: number; text: string }[];
  ticks: readonly (Tick & { x: number })[];
  lanes: readonly LaneBox[];
  passages: readonly PassageLine[];
  marks: readonly MarkPlace[];
  /** Before the first thing known, though the workload was there: revisions that are kept no longer. */
  unrecorded: readonly { left: number; right: number; text: string | null }[];
}

const LANES_TOP = 34;
const BELOW_LANES = 62;
const wide = { laneHeight: 26, left: 132, right: 126, tickDistance: 62 };
const narrow = { laneHeight: 34, left: 66, right: 78, tickDistance: 58 };

/** Places of everything that the timeline draws, in pixels. */
export function layoutTimeline(input: TimelineInput): TimelineLayout {
  const frame = input.compact ? narrow : wide;
  const start = stretchStart(input.stretch, Math.min(input.lanes.earliestMs, input.createdMs), input.nowMs);
  const axis = createAxis(
    start,
    input.nowMs,
    frame.left,
    Math.max(frame.left + 60, input.width - frame.right),
  );
  const middleOf = (lane: number) => LANES_TOP + (lane + 0.5) * frame.laneHeight;
  const shown = input.lanes.lanes.slice(0, input.lanesMax);
  const lanesBottom = LANES_TOP + shown.length * frame.laneHeight;
  const isShown = (lane: number) => lane < shown.length;
  const passages = input.lanes.passages.filter((each) => isShown(each.fromLane) && isShown(each.toLane));
  return {
    width: input.width,
    height: lanesBottom + BELOW_LANES,
    laneHeight: frame.laneHeight,
    lanesTop: LANES_TOP,
    lanesBottom,
    axis,
    titles: titlesOf(axis, input.stretch),
    ticks: axis.panels.flatMap((panel) =>
      placeTicks(axis, ticksOf(panel, input.timeZone, frame.tickDistance)),
    ),
    lanes: shown.map((lane, index) => laneBox(lane, index, axis, frame.laneHeight, input)),
    passages: passageLines(passages, axis, middleOf),
    marks: markPlaces([...input.events, ...ownMarks(input)], axis),
    unrecorded: unrecordedOf(input, axis),
  };
}

function laneBox(
  lane: Lane,
  index: number,
  axis: Axis,
  laneHeight: number,
  { desired, lanes, nowMs, trouble, settled, compact }: TimelineInput,
): LaneBox {
  const top = LANES_TOP + index * laneHeight;
  const podsMax = Math.max(desired, ...lanes.lanes.map(mostPods));
  const boxes = barBoxes(lane, { axis, top, laneHeight, podsMax, nowMs, trouble, settled });
  return {
    lane,
    top,
    boxes,
    beside: compact ? [] : besideTexts(boxes, axis),
    end: endText(lane, compact),
  };
}

function mostPods({ pods, profile }: Lane): number {
  return profile.reduce((most, stretch) => Math.max(most, stretch.pods), pods.total);
}

function endText({ role, pods, note }: Lane, compact: boolean): string {
  if (role === 'past') return note;
  if (pods.total === 0) return 'no pods';
  if (compact) return `${pods.total}, ${pods.ready} ready`;
  return `${pods.total} ${pods.total === 1 ? 'pod' : 'pods'}, ${pods.ready} ready`;
}

function titlesOf(axis: Axis, stretch: StretchName): { x: number; text: string }[] {
  const [first, second] = axis.panels;
  if (first === undefined) return [];
  if (second === undefined) return [{ x: first.left, text: stretchTitle(stretch) }];
  return [
    { x: first.left, text: stretchTitle(stretch) },
    { x: second.left, text: stretchTitle('1h') },
  ];
}

/** The present is named at the end of the axis; a tick too near to it or to the break would run into that. */
function placeTicks(axis: Axis, ticks: readonly Tick[]): (Tick & { x: number })[] {
  return ticks
    .map((tick) => ({ ...tick, x: axis.x(tick.ms) }))
    .filter(({ x }) => x < axis.nowX - 34)
    .filter(({ x, label }) => axis.breakAt === null || !isOver(x, label, axis.breakAt));
}

function isOver(x: number, label: string, at: { left: number; right: number }): boolean {
  const half = textWidth(label) / 2;
  return x + half > at.left && x - half < at.right;
}

/** What the workload itself proves: its creation, and its restarts. */
function ownMarks({ lanes, createdMs }: TimelineInput): EventMark[] {
  const restarts = lanes.lanes.flatMap(({ restart }) =>
    restart !== null && restart.startMin === restart.startMax
      ? [{ atMs: restart.startMin, warning: false, label: 'restart' }]
      : [],
  );
  return [{ atMs: createdMs, warning: false, label: 'created' }, ...restarts];
}

function unrecordedOf({ lanes, createdMs }: TimelineInput, axis: Axis): TimelineLayout['unrecorded'] {
  const text = 'not kept';
  return piecesOf(axis, createdMs, lanes.earliestMs)
    .filter(({ left, right }) => right - left > 2)
    .map(({ left, right }) => ({
      left,
      right,
      text: right - left > textWidth(text) + 8 ? text : null,
    }));
}
