import 'server-only';
import { type RolloutSummary } from '@/lib/api/workloads';
import { type RecordSummary } from '@/lib/records/record-summary';
import { type Keys } from '@/server/shared/keys';
import { maskText } from '@/server/shared/mask';
import { maskedActor } from '@/server/reads/masked-actor';

/** A record as lists and bars show it, in few words, masked. */
export function rolloutSummary(summary: RecordSummary, keys: Keys): RolloutSummary {
  const { id, outcome, startedAt, endedAt, actor, cause } = summary;
  return {
    id,
    outcome,
    startedAt,
    endedAt,
    actor: maskedActor(actor, keys),
    cause: cause === null ? null : maskText(cause, keys),
  };
}
