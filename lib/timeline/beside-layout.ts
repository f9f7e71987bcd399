import { formatDuration } from '@/lib/format/duration';
import { type Axis } from '@/lib/timeline/axis';
import { type BarBox } from '@/lib/timeline/bar-layout';
import { textWidth } from '@/lib/timeline/text-width';

/** Words beside a bar that is too short for them: how its rollout ended, by whom and after how long. */
export interface BesideText {
  x: number;
  anchor: 'start' | 'end';
  outcome: string;
  rest: string;
  look: 'failed' | 'back';
}

const GAP = 7;
/** A rollback at the end of the axis swings to the left; the words keep out of its way. */
const CURVE_ROOM = 42;

/** Beside the bars of rollouts that ended badly, where nothing of the lane is covered; to the left where both fit. */
export function besideTexts(boxes: readonly BarBox[], axis: Axis): BesideText[] {
  const first = axis.panels[0]?.left ?? 0;
  const taken = boxes.map(({ left, width }) => ({ left, right: left + width }));
  return boxes.flatMap(({ look, left, width, activation }): BesideText[] => {
    if ((look !== 'failed' && look !== 'back') || activation?.record == null) return [];
    const { outcome, rest } = wordsOf(activation.record);
    const room = textWidth(outcome + rest) + 2 * GAP;
    const isFree = (from: number, to: number) =>
      from >= first && to <= axis.nowX && taken.every((each) => to <= each.left || from >= each.right);
    const end = look === 'back' && left + CURVE_ROOM > axis.nowX ? left - CURVE_ROOM : left;
    if (isFree(end - room, end)) {
      taken.push({ left: end - room, right: end });
      return [{ x: end - GAP, anchor: 'end', outcome, rest, look }];
    }
    const right = left + width;
    if (!isFree(right, right + room)) return [];
    taken.push({ left: right, right: right + room });
    return [{ x: right + GAP, anchor: 'start', outcome, rest, look }];
  });
}

function wordsOf(record: NonNullable<NonNullable<BarBox['activation']>['record']>) {
  const { startedAt, endedAt } = record;
  const after =
    startedAt === null || endedAt === null
      ? ''
      : ` after ${formatDuration(Date.parse(endedAt) - Date.parse(startedAt))}`;
  return { outcome: record.outcome === 'failed' ? 'failed' : 'rolled back', rest: after };
}
