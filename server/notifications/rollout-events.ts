import { isSameRecordedTemplate } from '@/lib/records/template-meaning';
import type { RecorderMemory } from '@/lib/records/observation';
import type { RolloutRecord, RolloutSpan } from '@/lib/api/record';
import { NOTICE_AGE_MAX_MS } from '@/server/archive/outbox';
import type { NotifiedEvent } from '@/server/notifications/event';
import { isoTime } from '@/lib/format/time';

/** A rollout that stalls again causes a new event only after this time. */
const STUCK_AGAIN_MS = 3_600_000;

type Before = Pick<RecorderMemory, 'incarnation' | 'record' | 'activations'>;

/**
 * The events between what the archive has of a workload and the records that are about to replace it. None where the
 * workload has only just been found with a rollout in progress or completed, and none that is more than an hour old.
 */
export function rolloutEvents(
  before: Before,
  records: readonly RolloutRecord[],
  nowMs: number,
): NotifiedEvent[] {
  const events = records.flatMap((record) => eventsOf(before, record, records, nowMs));
  const recent = events.filter(({ at }) => Date.parse(at) >= nowMs - NOTICE_AGE_MAX_MS);
  // A rollout that is rolled back is reported by its own end and by the one that follows, which knows more.
  const byId = new Map<string, NotifiedEvent>();
  for (const event of recent) {
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
  if (before.incarnation === null && record.unwatched.length > 0) return [];
  return [
    ...(known === null ? [...startEvents(record), ...revertedEvents(before, record, records, nowMs)] : []),
    ...stuckEvents(known, record),
    ...endEvents(known, record, nowMs),
  ];
}

function startEvents(record: RolloutRecord): NotifiedEvent[] {
  const at = record.startedAt ?? record.startedNotAfter;
  return at === null ? [] : [eventOf('started', record, at)];
}

/** A rollout that leads back to the previous template reverts the one before it, also a completed one. */
function revertedEvents(
  { record: last, activations }: Before,
  record: RolloutRecord,
  records: readonly RolloutRecord[],
  nowMs: number,
): NotifiedEvent[] {
  if (last?.activation !== record.activation - 1 || isSameRecordedTemplate(last.to, record.to)) return [];
  const isReturn = activations.some(
    ({ index, revision }) => index < last.activation && isSameRecordedTemplate(revision, record.to),
  );
  if (!isReturn) return [];
  const reverted = records.find(({ id }) => id === last.id) ?? last;
  if (reverted.outcome === 'noPods') return [];
  const at = record.startedAt ?? record.startedNotAfter ?? isoTime(nowMs);
  return [{ ...eventOf('rolledBack', reverted, at), revertedBy: record }];
}

function stuckEvents(known: RolloutRecord | null, record: RolloutRecord): NotifiedEvent[] {
  const stuck = record.spans.filter(isStuck);
  const reportedCount = known?.spans.filter(isStuck).length ?? 0;
  return stuck.slice(reportedCount).flatMap((span, index) => {
    const previous = stuck[reportedCount + index - 1];
    const isRepeated =
      previous !== undefined && Date.parse(span.from) - Date.parse(previous.from) < STUCK_AGAIN_MS;
    if (isRepeated) return [];
    const event = eventOf('stuck', record, span.from);
    return [{ ...event, id: `${event.id}.${reportedCount + index + 1}`, reason: span.reason }];
  });
}

function isStuck({ kind }: RolloutSpan): boolean {
  return kind === 'stuck';
}

function endEvents(known: RolloutRecord | null, record: RolloutRecord, nowMs: number): NotifiedEvent[] {
  const { outcome, endedAt } = record;
  if (known !== null && known.outcome === outcome) return [];
  const kind = outcome === 'undone' ? 'rolledBack' : outcome;
  if (kind !== 'failed' && kind !== 'rolledBack') return [];
  return [eventOf(kind, record, endedAt ?? isoTime(nowMs))];
}

function eventOf(kind: NotifiedEvent['kind'], record: RolloutRecord, at: string): NotifiedEvent {
  return { id: `${record.id}.${kind}`, kind, at, record, reason: null, revertedBy: null, review: null };
}
