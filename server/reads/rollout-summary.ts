import 'server-only';
import { type RolloutSummary } from '@/lib/api/records';
import { type RecordSummary } from '@/lib/api/record-summary';
import { type Mask } from '@/server/shared/mask';
import { maskedActor } from '@/server/shared/masked-actor';

/** A record as lists and bars show it, in few words, masked. */
export function rolloutSummary(summary: RecordSummary, mask: Mask): RolloutSummary {
  const { id, outcome, startedAt, endedAt, actor, cause } = summary;
  return {
    id,
    outcome,
    startedAt,
    endedAt,
    actor: maskedActor(actor, mask),
    cause: mask.text(cause),
  };
}
