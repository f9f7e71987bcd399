import 'server-only';
import { namedMembers } from '@/lib/api/named-members';
import { type RolloutSummary, rolloutSummarySchema } from '@/lib/api/records';
import { type RecordSummary } from '@/lib/api/record-summary';
import { type Mask } from '@/server/shared/mask';
import { maskedActor } from '@/server/shared/masked-actor';

/** A record as lists and bars show it, in few words, masked. */
export function rolloutSummary(summary: RecordSummary, mask: Mask): RolloutSummary {
  return namedMembers(rolloutSummarySchema, {
    ...summary,
    actor: maskedActor(summary.actor, mask),
    cause: mask.text(summary.cause),
  });
}
