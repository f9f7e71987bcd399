import { type RecordItem } from '@/lib/api/records';
import { formatDuration } from '@/lib/format/duration';
import { type Moment, momentOf } from '@/lib/view/moment';
import { versionOf } from '@/lib/view/image-name';
import { toolOf } from '@/lib/view/tool';

type Target = Pick<RecordItem, 'to'> & Partial<Pick<RecordItem, 'images'>>;

/** "204 → 203", "1" for the first, "?" where the source carried no number. */
export function passageOf({ from, ...target }: Target & Pick<RecordItem, 'from'>): string {
  return from === null ? targetWord(target) : `${numberOf(from)} → ${targetWord(target)}`;
}

/** The number of what was rolled out; the version of its image while no revision records it, as in a canary. */
export function targetWord({ to, images }: Target): string {
  return to.number === null ? versionOf(images ?? []) || '?' : String(to.number);
}

function numberOf({ number }: NonNullable<RecordItem['from']>): string {
  return number === null ? '?' : String(number);
}

/** How it went, said within a sentence: "completed", "is open: stalled". */
export function outcomeText(record: Pick<RecordItem, 'outcome' | 'spans'>): string {
  switch (record.outcome) {
    case 'completed':
      return 'completed';
    case 'rolledBack':
      return 'rolled back';
    case 'superseded':
      return 'superseded';
    case 'failed':
      return 'failed';
    case 'unknown':
      return 'not watched to its end';
    case null:
      return stateOfOpen(record.spans);
    default:
      return record.outcome satisfies never;
  }
}

/** What an open rollout does now. */
function stateOfOpen(spans: RecordItem['spans']): string {
  const now = spans.find(({ to }) => to === null);
  return now === undefined ? 'in progress' : spanWord(now);
}

/** "stalled", "waiting for approval": what a rollout was in a period in which it made no progress. */
export function spanWord({ kind, waitsFor }: Pick<RecordItem['spans'][number], 'kind' | 'waitsFor'>): string {
  if (kind === 'stuck') return 'stalled';
  switch (waitsFor) {
    case 'approval':
      return 'waiting for approval';
    case 'deletion':
      return 'waiting for deletion';
    case 'resume':
      return 'paused';
    case undefined:
      return 'held';
    default:
      return waitsFor satisfies never;
  }
}

export function startOf({
  startedAt,
  startedNotAfter,
}: Pick<RecordItem, 'startedAt' | 'startedNotAfter'>): Moment {
  return momentOf(startedAt, null, startedNotAfter);
}

/** How long a rollout took; null where its end is unknown, and where nobody watched how it went until then. */
export function tookText(record: Pick<RecordItem, 'startedAt' | 'endedAt' | 'outcome'>): string | null {
  return record.outcome === 'unknown' ? null : durationText(record);
}

/** "2 min 10 s"; null where an end is unknown. */
export function durationText({
  startedAt,
  endedAt,
}: Pick<RecordItem, 'startedAt' | 'endedAt'>): string | null {
  if (startedAt === null || endedAt === null) return null;
  return formatDuration(Date.parse(endedAt) - Date.parse(startedAt));
}

/** "ana, through Shiplog", "kubectl", null where nothing says who. */
export function actorText(actor: RecordItem['actor']): string | null {
  if (actor === null) return null;
  if (actor.source === 'shiplog') return `${actor.name}, through Shiplog`;
  const tool = toolOf(actor.manager ?? actor.name);
  return actor.name === actor.manager || actor.name === tool ? tool : `${actor.name}, with ${tool}`;
}

/** What follows name and outcome in the sentence that a record opens with: "on the way from 204 to 205, after 11 min." */
export function recordSentence(record: RecordItem): string {
  const took = tookText(record);
  if (record.outcome === 'completed') return `${journeyOf(record)}${took === null ? '' : `, in ${took}`}.`;
  const where = record.restart || record.from === null ? 'during' : 'on the way';
  return `${where} ${journeyOf(record)}${took === null ? '' : `, after ${took}`}.`;
}

function journeyOf(record: RecordItem): string {
  const target = targetWord(record);
  if (record.restart) return `a restart with ${target}`;
  return record.from === null ? `its first rollout, ${target}` : `from ${numberOf(record.from)} to ${target}`;
}
