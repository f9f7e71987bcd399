import type { RecordSummary } from '@/lib/api/record-summary';
import { ms } from '@/lib/records/times';
import type { ControllerRecord } from '@/lib/rollout/controller-record';

/**
 * A controller begins its record shortly after the progressive rollout starts, and the clocks of two machines
 * differ a little.
 */
const CLOCK_TOLERANCE_MS = 60_000;

/** What identifies the progressive rollout of a controller record. */
export type ControllerRecordIdentity = Pick<
  ControllerRecord,
  'rollout' | 'rolloutId' | 'content' | 'createdAt' | 'ownRecord'
>;

/**
 * Whether a controller record and ours describe the same progressive rollout. The id alone proves nothing: it
 * is reused, and the controller may recreate the record of an earlier rollout during this one. So the object
 * must have been created while ours was in progress.
 */
export function isSameRollout(
  {
    id,
    progressiveRollout: own,
    startedAt,
    startedNotAfter,
    endedAt,
    outcome,
  }: Omit<RecordSummary, 'revertedBy' | 'verdict'>,
  { rollout, rolloutId, content, createdAt, ownRecord }: ControllerRecordIdentity,
): boolean {
  if (ownRecord !== null) return ownRecord === id;
  const name = rollout ?? content?.rollout ?? null;
  const theirId = rolloutId ?? content?.rolloutId ?? null;
  if (own === null || own.id === null || own.name !== name || own.id !== theirId) return false;
  const start = ms(startedAt ?? startedNotAfter);
  const end = outcome === null ? Infinity : ms(endedAt);
  const createdMs = ms(createdAt);
  // An unknown start has at least an upper bound.
  const isAfterStart = createdMs >= start - CLOCK_TOLERANCE_MS || startedAt === null;
  return isAfterStart && createdMs <= end + CLOCK_TOLERANCE_MS;
}
