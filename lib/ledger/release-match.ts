import { type RecordMark } from '@/lib/ledger/mark';
import { ms } from '@/lib/ledger/moments';
import { type ReleaseRecord } from '@/lib/rollout/release-record';

/** A controller begins its record within a moment of the release, and the clocks of two machines differ a little. */
const LEEWAY_MS = 60_000;

/** What a system's record has that tells which release it is of. */
export type HistoryMark = Pick<
  ReleaseRecord,
  'rollout' | 'releaseId' | 'content' | 'createdAt' | 'ownRecord'
>;

/**
 * Whether a system's record and ours tell of the same release. The id alone proves nothing: it is used again, and the
 * record of a release before may be made again during this one. So the object must have been made while ours went on.
 */
export function isSameRelease(
  { id, release, startedAt, startedNotAfter, endedAt, outcome }: Omit<RecordMark, 'revertedBy' | 'verdict'>,
  { rollout, releaseId, content, createdAt, ownRecord }: HistoryMark,
): boolean {
  if (ownRecord !== null) return ownRecord === id;
  const name = rollout ?? content?.rollout ?? null;
  const named = releaseId ?? content?.releaseId ?? null;
  if (release === null || release.id === null || release.name !== name || release.id !== named) return false;
  const start = ms(startedAt ?? startedNotAfter);
  const end = outcome === null ? Infinity : ms(endedAt);
  const made = ms(createdAt);
  // Of an unknown start it is known that it came no later.
  const isAfterStart = made >= start - LEEWAY_MS || startedAt === null;
  return isAfterStart && made <= end + LEEWAY_MS;
}
