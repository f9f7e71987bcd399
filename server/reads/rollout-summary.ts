import 'server-only';
import { type Answer } from '@/lib/api/common';
import { namedMembers } from '@/lib/api/named-members';
import { rolloutSummarySchema } from '@/lib/api/records';
import { type RecordSummary } from '@/lib/api/record-summary';
import { type Mask } from '@/server/shared/mask';
import { maskedActor } from '@/server/shared/masked-actor';

/** A record as lists and bars show it, in few words, masked. */
export function rolloutSummary(summary: RecordSummary, mask: Mask): Answer<typeof rolloutSummarySchema> {
  return namedMembers(rolloutSummarySchema, {
    ...summary,
    actor: maskedActor(summary.actor, mask),
    cause: mask.text(summary.cause),
  });
}
