import type { TimelineItem } from '@/lib/api/timeline';
import { formatDuration } from '@/lib/format/duration';
import { formatDay, type TimeFrame, wallTime } from '@/lib/format/time';
import { actorText, outcomeLabel, transitionText, targetText, outcomeDuration } from '@/lib/view/record-text';
import type { RolloutAppearance } from '@/lib/timeline/appearance';
import type { TimeWindow } from '@/lib/timeline/time-window';

const appearanceLabels: Record<RolloutAppearance, string> = {
  stuck: 'stalled',
  failed: 'failed',
  undone: 'reverted by their owners',
  back: 'rolled back',
  held: 'held or waiting',
  rolling: 'in progress',
  unknown: 'unknown',
  noPods: 'without pods',
  completed: 'completed',
  superseded: 'superseded',
};

/** "1 stalled", "6 completed" */
export function appearanceCountText(appearance: RolloutAppearance, count: number): string {
  return `${count.toLocaleString('en')} ${appearanceLabels[appearance]}`;
}

/** "Between 14:00 and 14:30", "In the last 30 min", "Between 7 Sep, 11:20 and 8 Sep, 14:00" */
export function periodText({ fromMs, toMs }: TimeWindow, isLive: boolean, frame: TimeFrame): string {
  if (isLive) return `In the last ${lengthText(toMs - fromMs)}`;
  const isOneDay = dayOf(fromMs, frame) === dayOf(toMs, frame);
  if (isOneDay && dayOf(toMs, frame) !== dayOf(frame.nowMs, frame))
    return `${formatDay(fromMs, frame)} to ${formatHourMinute(toMs, frame)}`;
  return `Between ${formatDay(fromMs, frame)} and ${formatDay(toMs, frame)}`;
}

/** Replaces "nothing changed" for a window that begins before the first recorded rollout. */
export function unrecordedText(oldestMs: number, { toMs }: TimeWindow, frame: TimeFrame): string {
  const first = formatDay(oldestMs, frame);
  return toMs <= oldestMs
    ? `no data: recording started with a rollout at ${first}.`
    : `no rollouts recorded. Recording started with a rollout at ${first}.`;
}

/** "hour", "30 min", "6 hours", "7 days" */
export function lengthText(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000));
  if (minutes % 1_440 === 0) return minutes === 1_440 ? '24 hours' : `${minutes / 1_440} days`;
  if (minutes % 60 === 0) return minutes === 60 ? 'hour' : `${minutes / 60} hours`;
  return minutes > 60 ? formatDuration(minutes * 60_000) : `${minutes} min`;
}

/** "118 → 119", "Restart" */
export function transitionLabel(item: TimelineItem): string {
  return item.restart ? 'Restart' : transitionText(item);
}

/** "Completed in 2 min", "Rolled back after 11 min", "Stalled" */
export function describeOutcome(item: TimelineItem): string {
  const outcome = outcomeLabel(item);
  if (item.outcome === null) return outcome;
  // The outcome of a rollout that was rolled back before completion implies it.
  const revertedNote =
    item.revertedBy === null || item.outcome === 'rolledBack' || item.outcome === 'undone'
      ? ''
      : ', later reverted';
  return `${outcome} ${outcomeDuration(item)}`.trimEnd() + revertedNote;
}

/** The description of one rollout in a sentence, for screen readers. */
export function describeRollout(item: TimelineItem, frame: TimeFrame): string {
  const { name, namespace } = item.workload;
  const began =
    item.startedAt !== null
      ? `started ${formatDay(Date.parse(item.startedAt), frame)}`
      : item.startedNotAfter !== null
        ? `started by ${formatDay(Date.parse(item.startedNotAfter), frame)}`
        : 'start not observed';
  const ended =
    item.endedAt !== null && item.outcome !== 'unknown' && item.outcome !== null
      ? `ended ${formatDay(Date.parse(item.endedAt), frame)}`
      : null;
  const what = item.restart ? null : item.summary;
  const parts = [
    `${name} in ${namespace}, ${transitionLabel(item)}`,
    describeOutcome(item),
    began,
    ended,
    what,
    actorText(item.actor),
  ];
  return parts.filter((part) => part !== null && part !== '').join(', ');
}

/** The label in a bar or next to it; null where the bar needs none. */
export function barNote(
  item: TimelineItem,
  next: TimelineItem | undefined,
  /** Undefined where it is no return to an earlier revision, null where the number of that one is unknown. */
  formerNumber: number | null | undefined,
  { fromMs }: TimeWindow,
  frame: TimeFrame,
): string | null {
  if (item.outcome === null) {
    const reason = item.spans.find(({ to }) => to === null)?.reason;
    const beganMs = Date.parse(item.startedAt ?? item.startedNotAfter ?? '');
    const since = beganMs < fromMs ? `since ${formatDay(beganMs, frame)}` : '';
    return [since, reason ?? ''].filter((part) => part !== '').join(', ') || null;
  }
  if (formerNumber !== undefined) return `back to ${renumberedText(formerNumber, item.to.number)}`;
  if (item.outcome === 'superseded' && next !== undefined) {
    return `${targetText(item)} superseded by ${targetText(next)}`;
  }
  if (item.outcome === 'failed') return item.spans.at(-1)?.reason ?? null;
  return null;
}

/** "rev 3", "rev 3 (now rev 5)" */
function renumberedText(former: number | null, present: number | null): string {
  if (former === null) return present === null ? 'an earlier revision' : `rev ${present}`;
  return present === null || present === former ? `rev ${former}` : `rev ${former} (now rev ${present})`;
}

/** "14:05" in the zone. */
function formatHourMinute(ms: number, { timeZone }: TimeFrame): string {
  const { hour, minute } = wallTime(ms, timeZone);
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}

function dayOf(ms: number, { timeZone }: TimeFrame): string {
  const { year, month, day } = wallTime(ms, timeZone);
  return `${year}-${month}-${day}`;
}
