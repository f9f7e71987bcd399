import 'server-only';
import { type RolloutMark } from '@/lib/api/workloads';
import { type RecordMark } from '@/lib/ledger/mark';
import { type Keys } from '@/server/keys';
import { maskText } from '@/server/mask';
import { maskedActor } from '@/server/reads/masked-actor';

/** A record in the few words that lists and bars show, masked. */
export function rolloutMark(mark: RecordMark, keys: Keys): RolloutMark {
  const { id, outcome, startedAt, endedAt, actor, cause } = mark;
  return {
    id,
    outcome,
    startedAt,
    endedAt,
    actor: maskedActor(actor, keys),
    cause: cause === null ? null : maskText(cause, keys),
  };
}
