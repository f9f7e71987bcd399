import { formatDuration } from '@/lib/format/duration';
import { type Axis } from '@/lib/timeline/axis';
import { type BarBox } from '@/lib/timeline/bar-layout';
import { textWidth } from '@/lib/timeline/text-width';

/** The note of a bar that is too short for it: how its rollout ended, changed by whom and its duration. */
export interface BarLabel {
  x: number;
  anchor: 'start' | 'end';
  outcome: string;
  rest: string;
  appearance: 'failed' | 'back';
}

const GAP = 7;
/** The curve of a rollback at the end of the axis turns to the left; the text leaves room for it. */
const CURVE_ROOM = 42;

/**
 * Places notes at the bars of failed rollouts, where they cover nothing in the lane; to the left where both
 * fit.
 */
export function placeBarLabels(boxes: readonly BarBox[], axis: Axis): BarLabel[] {
  const first = axis.panels[0]?.left ?? 0;
  const occupied = boxes.map(({ left, width }) => ({ left, right: left + width }));
  return boxes.flatMap(({ appearance, left, width, activation }): BarLabel[] => {
    if ((appearance !== 'failed' && appearance !== 'back') || activation?.record == null) return [];
    const { outcome, rest } = labelTexts(activation.record);
    const room = textWidth(outcome + rest) + 2 * GAP;
    const isFree = (from: number, to: number) =>
      from >= first && to <= axis.nowX && occupied.every((each) => to <= each.left || from >= each.right);
    const end = appearance === 'back' && left + CURVE_ROOM > axis.nowX ? left - CURVE_ROOM : left;
    if (isFree(end - room, end)) {
      occupied.push({ left: end - room, right: end });
      return [{ x: end - GAP, anchor: 'end', outcome, rest, appearance }];
    }
    const right = left + width;
    if (!isFree(right, right + room)) return [];
    occupied.push({ left: right, right: right + room });
    return [{ x: right + GAP, anchor: 'start', outcome, rest, appearance }];
  });
}

function labelTexts(record: NonNullable<NonNullable<BarBox['activation']>['record']>) {
  const { startedAt, endedAt } = record;
  const after =
    startedAt === null || endedAt === null
      ? ''
      : ` after ${formatDuration(Date.parse(endedAt) - Date.parse(startedAt))}`;
  return { outcome: record.outcome === 'failed' ? 'failed' : 'rolled back', rest: after };
}
