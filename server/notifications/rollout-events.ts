import { isSameRecorded } from '@/lib/ledger/meaning';
import { type Memory } from '@/lib/ledger/observation';
import { type RolloutRecord, type RolloutSpan } from '@/lib/ledger/record';
import { NEWS_MS } from '@/server/archive/outbox';
import { type NotifiedEvent } from '@/server/notifications/event';

/** A rollout that goes to and fro is told of again after so long. */
const STUCK_AGAIN_MS = 3_600_000;

type Before = Pick<Memory, 'life' | 'record' | 'activations'>;

/**
 * What has happened between what the archive says of a workload and the records that are about to replace it. Nothing
 * where the workload has only just been found with a rollout under way or behind it, and nothing that is more than an
 * hour ago.
 */
export function rolloutEvents(
  before: Before,
  records: readonly RolloutRecord[],
  nowMs: number,
): NotifiedEvent[] {
  const events = records.flatMap((record) => eventsOf(before, record, records, nowMs));
  const news = events.filter(({ at }) => Date.parse(at) >= nowMs - NEWS_MS);
  // A rollout that is taken back under way is told of by its own end and by the one that follows, which knows more.
  const byId = new Map<string, NotifiedEvent>();
  for (const event of news) {
    const known = byId.get(event.id);
    if (known === undefined || known.revertedBy === null) byId.set(event.id, event);
  }
  return [...byId.values()];
}

function eventsOf(
  before: Before,
  record: RolloutRecord,
  records: readonly RolloutRecord[],
  nowMs: number,
): NotifiedEvent[] {
  const known = before.record?.id === record.id ? before.record : null;
  if (before.life === null && record.unwatched.length > 0) return [];
  return [
    ...(known === null ? [...startOf(record), ...takenBack(before, record, records, nowMs)] : []),
    ...stuckOf(known, record),
    ...endOf(known, record, nowMs),
  ];
}

function startOf(record: RolloutRecord): NotifiedEvent[] {
  const at = record.startedAt ?? record.startedNotAfter;
  return at === null ? [] : [eventOf('started', record, at)];
}

/** A rollout that leads back to what ran before takes back the one in front of it, also one that was complete. */
function takenBack(
  { record: last, activations }: Before,
  record: RolloutRecord,
  records: readonly RolloutRecord[],
  nowMs: number,
): NotifiedEvent[] {
  if (last?.activation !== record.activation - 1 || isSameRecorded(last.to, record.to)) return [];
  const isReturn = activations.some(
    ({ index, revision }) => index < last.activation && isSameRecorded(revision, record.to),
  );
  if (!isReturn) return [];
  const undone = records.find(({ id }) => id === last.id) ?? last;
  const at = record.startedAt ?? record.startedNotAfter ?? timeOf(nowMs);
  return [{ ...eventOf('rolledBack', undone, at), revertedBy: record }];
}

function stuckOf(known: RolloutRecord | null, record: RolloutRecord): NotifiedEvent[] {
  const stuck = record.spans.filter(isStuck);
  const told = known?.spans.filter(isStuck).length ?? 0;
  return stuck.slice(told).flatMap((span, index) => {
    const previous = stuck[told + index - 1];
    const isAgain =
      previous !== undefined && Date.parse(span.from) - Date.parse(previous.from) < STUCK_AGAIN_MS;
    if (isAgain) return [];
    const event = eventOf('stuck', record, span.from);
    return [{ ...event, id: `${event.id}.${told + index + 1}`, reason: span.reason }];
  });
}

function isStuck({ kind }: RolloutSpan): boolean {
  return kind === 'stuck';
}

function endOf(known: RolloutRecord | null, record: RolloutRecord, nowMs: number): NotifiedEvent[] {
  const { outcome, endedAt } = record;
  if (known !== null && known.outcome === outcome) return [];
  if (outcome !== 'failed' && outcome !== 'rolledBack') return [];
  return [eventOf(outcome, record, endedAt ?? timeOf(nowMs))];
}

function eventOf(kind: NotifiedEvent['kind'], record: RolloutRecord, at: string): NotifiedEvent {
  return { id: `${record.id}.${kind}`, kind, at, record, reason: null, revertedBy: null, review: null };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
