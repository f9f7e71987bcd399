import type { RecordItem } from '@/lib/api/records';
import { formatDuration } from '@/lib/format/duration';
import { capitalize } from '@/lib/format/text';
import { type Moment, momentOf } from '@/lib/format/moment';
import { versionOf } from '@/lib/view/image-name';
import { toolOf } from '@/lib/view/tool';

type TransitionTarget = { to: Pick<RecordItem['to'], 'number'> } & Partial<Pick<RecordItem, 'images'>>;

/** "204 → 203", "1" for the first, "?" where the source carried no number. */
export function transitionText({ from, ...target }: TransitionTarget & Pick<RecordItem, 'from'>): string {
  return from === null ? targetText(target) : `${numberText(from)} → ${targetText(target)}`;
}

/** The number of the target revision; the version of its image while no revision records it, as in a canary. */
export function targetText({ to, images }: TransitionTarget): string {
  return to.number === null ? versionOf(images ?? []) || '?' : String(to.number);
}

function numberText({ number }: NonNullable<RecordItem['from']>): string {
  return number === null ? '?' : String(number);
}

/** Without spans, what a rollout in progress does now is unknown. */
export type RecordedOutcome = Pick<RecordItem, 'outcome'> & Partial<Pick<RecordItem, 'undoneBy' | 'spans'>>;

/** The outcome of a rollout, or the state of one in progress, as a label: "Completed", "Stalled". */
export function outcomeLabel(record: RecordedOutcome): string {
  return capitalize(outcomeText(record));
}

/** The same within a sentence: "completed", "stalled". */
export function outcomeText(record: RecordedOutcome): string {
  switch (record.outcome) {
    case 'completed':
      return 'completed';
    case 'rolledBack':
      return 'rolled back';
    case 'undone':
      return `reverted by ${record.undoneBy ?? 'its owner'}`;
    case 'superseded':
      return 'superseded';
    case 'noPods':
      return 'no pods ran';
    case 'failed':
      return 'failed';
    case 'unknown':
      return 'unknown';
    case null:
      return openStateText(record.spans);
    default:
      return record.outcome satisfies never;
  }
}

/** What an open rollout does now. */
function openStateText(spans: RecordItem['spans'] = []): string {
  const now = spans.find(({ to }) => to === null);
  return now === undefined ? 'in progress' : spanWord(now);
}

/** "stalled", "waiting for approval": the state of a rollout in a period without progress. */
export function spanWord({
  kind,
  waitsFor,
  hasFailed,
}: Pick<RecordItem['spans'][number], 'kind' | 'waitsFor' | 'hasFailed'>): string {
  if (kind === 'stuck') return hasFailed === true ? 'failed' : 'stalled';
  switch (waitsFor) {
    case 'approval':
      return 'waiting for approval';
    case 'deletion':
      return 'waiting for pod deletion';
    case 'resume':
      return 'paused';
    case undefined:
      return 'held';
    default:
      return waitsFor satisfies never;
  }
}

export function startMoment({
  startedAt,
  startedNotAfter,
}: Pick<RecordItem, 'startedAt' | 'startedNotAfter'>): Moment {
  return momentOf(startedAt, null, startedNotAfter);
}

/** The duration of a rollout; null where nothing ran, its end is unknown, or its progress until then was not observed. */
export function rolloutDurationText(
  record: Pick<RecordItem, 'startedAt' | 'endedAt' | 'outcome'>,
): string | null {
  return record.outcome === 'unknown' || record.outcome === 'noPods' ? null : durationText(record);
}

/** "2 min 10 s"; null where an end is unknown. */
export function durationText({
  startedAt,
  endedAt,
}: Pick<RecordItem, 'startedAt' | 'endedAt'>): string | null {
  if (startedAt === null || endedAt === null) return null;
  // Times of the cluster have whole seconds.
  return formatDuration(Math.max(1, Date.parse(endedAt) - Date.parse(startedAt)));
}

/** "ana via Shiplog", "kubectl", null where unknown. */
export function actorText(actor: RecordItem['actor']): string | null {
  if (actor === null) return null;
  if (actor.source === 'shiplog') return `${actor.name} via Shiplog`;
  const tool = toolOf(actor.manager ?? actor.name);
  return actor.name === actor.manager || actor.name === tool ? tool : `${actor.name} via ${tool}`;
}

/** What a record is about, between the name of the workload and the outcome: "revision 204 → 205", "restart of revision 5". */
export function recordSubject(record: RecordItem): string {
  const target = targetText(record);
  if (record.restart) return `restart of revision ${target}`;
  if (record.from === null) return `first rollout, revision ${target},`;
  return `revision ${transitionText(record)}`;
}

/** Follows the outcome: "in 2 min", "after 11 min"; empty where the duration is unknown. */
export function outcomeDuration(record: Pick<RecordItem, 'startedAt' | 'endedAt' | 'outcome'>): string {
  const duration = rolloutDurationText(record);
  if (duration === null) return '';
  return `${record.outcome === 'completed' ? 'in' : 'after'} ${duration}`;
}
