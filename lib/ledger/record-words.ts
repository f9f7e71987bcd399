import { type RecordItem } from '@/lib/api/records';
import { formatDuration } from '@/lib/format/duration';
import { type Moment, momentOf } from '@/lib/view/moment';
import { toolOf } from '@/lib/view/tool';

/** "204 → 203", "1" for the first, "?" where the source carried no number. */
export function passageOf({ from, to }: Pick<RecordItem, 'from' | 'to'>): string {
  return from === null ? numberOf(to) : `${numberOf(from)} → ${numberOf(to)}`;
}

function numberOf({ number }: RecordItem['to']): string {
  return number === null ? '?' : String(number);
}

/** How it went, said within a sentence: "completed", "is open: stuck". */
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
  return now === undefined ? 'rolling' : now.kind;
}

export function startOf({ startedAt, startedNotAfter }: RecordItem): Moment {
  return momentOf(startedAt, null, startedNotAfter);
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

/** The end of the sentence that a record opens with: "rolled back from 204 to 203, after 11 min". */
export function recordSentence(record: RecordItem): string {
  const { from, to, restart } = record;
  const verb = restart
    ? 'restarted'
    : from === null
      ? `first rolled out ${numberOf(to)}`
      : `went from ${numberOf(from)} to ${numberOf(to)}`;
  const took = durationText(record);
  const how =
    record.outcome === 'completed'
      ? took === null
        ? 'and completed'
        : `and completed in ${took}`
      : ending(record, took);
  return `${verb} ${how}.`;
}

function ending(record: RecordItem, took: string | null): string {
  const after = took === null ? '' : ` after ${took}`;
  switch (record.outcome) {
    case 'rolledBack':
      return `and was rolled back${after}`;
    case 'superseded':
      return `and was superseded${after}`;
    case 'failed':
      return `and failed${after}`;
    case 'unknown':
      return 'while Shiplog was not watching to the end';
    case null:
      return `and is ${stateOfOpen(record.spans)} now`;
    case 'completed':
      return 'and completed';
    default:
      return record.outcome satisfies never;
  }
}
