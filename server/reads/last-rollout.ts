import 'server-only';
import { type WorkloadItem } from '@/lib/api/workloads';
import { type RecordMark } from '@/lib/ledger/mark';
import { type Keys } from '@/server/keys';
import { rolloutMark } from '@/server/reads/rollout-mark';

/**
 * A row whose last rollout says what its record says, and when and from where it began where the cluster doesn't prove
 * that. The last record may be of an earlier rollout still: then nothing is taken from it.
 */
export function withRecord(item: WorkloadItem, mark: RecordMark | undefined, keys: Keys): WorkloadItem {
  const { lastRollout } = item;
  if (lastRollout === null || mark === undefined || !isOfTarget(item, mark)) return item;
  const record = rolloutMark(mark, keys);
  const startedAt = lastRollout.startedAt ?? mark.startedAt;
  const notAfter = startedAt === null ? (lastRollout.notAfter ?? mark.startedNotAfter) : null;
  // The cluster has the nearest number alone, which need not be of what ran before.
  const from = mark.from?.number ?? lastRollout.from;
  return { ...item, lastRollout: { ...lastRollout, from, startedAt, notAfter, record } };
}

function isOfTarget({ targetId, targetRevision }: WorkloadItem, { to, outcome }: RecordMark): boolean {
  // What a release brings has no revision before its end, and is the target all the same.
  if (targetId === null) return to.id === null && outcome === null;
  return targetId !== null && to.id === targetId && to.number === targetRevision;
}
