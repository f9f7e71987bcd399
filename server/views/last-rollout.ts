import 'server-only';
import type { Answer } from '@/lib/api/common';
import type { workloadItemSchema } from '@/lib/api/workloads';
import type { RecordSummary } from '@/lib/api/record-summary';
import type { Mask } from '@/server/shared/mask';
import { namedMembers } from '@/lib/api/named-members';
import { rolloutSummarySchema } from '@/lib/api/records';
import { maskedActor } from '@/server/shared/masked-actor';

/**
 * Gives the last rollout of a row what its record has, with the start and the origin that the record shows.
 * The last record may still be of an earlier rollout: then it is ignored.
 */
export function withRecord<Item extends Answer<typeof workloadItemSchema>>(
  item: Item,
  summary: RecordSummary | undefined,
  mask: Mask,
): Item {
  if (summary === undefined || !isOfTarget(item, summary)) return item;
  const lastRollout = item.lastRollout ?? nothingProven(summary);
  const record = rolloutSummary(summary, mask);
  // Every page that shows the record shows its start.
  const startedAt = summary.startedAt ?? lastRollout.startedAt;
  const notAfter = startedAt === null ? (lastRollout.notAfter ?? summary.startedNotAfter) : null;
  // The cluster has the nearest number alone, which may differ from the previous target.
  const from = summary.from?.number ?? lastRollout.from;
  return { ...item, lastRollout: { ...lastRollout, from, startedAt, notAfter, record } };
}

/** The cluster does not prove the rollout: only the record does. */
function nothingProven({
  to,
  restart,
}: RecordSummary): NonNullable<Answer<typeof workloadItemSchema>['lastRollout']> {
  const unknown = { from: null, startedAt: null, notAfter: null, writer: null, changeCause: null };
  return { ...unknown, to: to.number, restart, record: null };
}

function isOfTarget(
  { targetId, targetRevision }: Answer<typeof workloadItemSchema>,
  { to, outcome }: RecordSummary,
): boolean {
  // The template of a progressive rollout has no revision before its end, and is the target all the same.
  if (targetId === null) return to.id === null && outcome === null;
  return targetId !== null && to.id === targetId && to.number === targetRevision;
}

/** A record as lists and bars show it, in few words, masked. */
export function rolloutSummary(summary: RecordSummary, mask: Mask): Answer<typeof rolloutSummarySchema> {
  return namedMembers(rolloutSummarySchema, {
    ...summary,
    actor: maskedActor(summary.actor, mask),
    cause: mask.text(summary.cause),
  });
}
