import { type RolloutRecord } from '@/lib/ledger/record';
import { type Verdict } from '@/lib/ledger/review';

/** A record without its course: what lists, bars and choices need of it. */
export interface RecordMark extends Pick<
  RolloutRecord,
  | 'id'
  | 'activation'
  | 'from'
  | 'to'
  | 'others'
  | 'startedAt'
  | 'startedNotAfter'
  | 'endedAt'
  | 'outcome'
  | 'actor'
  | 'cause'
  | 'summary'
  | 'restart'
> {
  /** Of the workload. */
  uid: string;
  /** Id of the record that took it back; null also where nobody asked. */
  revertedBy: string | null;
  /** Null also where nobody asked. */
  verdict: Verdict['verdict'] | null;
}

/** What a record leaves for lists. */
export function markOfRecord(record: RolloutRecord): RecordMark {
  const { id, activation, from, to, others, startedAt, startedNotAfter, endedAt, outcome } = record;
  const { actor, cause, summary, restart, workload } = record;
  return {
    ...{ id, activation, from, to, others, startedAt, startedNotAfter, endedAt, outcome },
    ...{ actor, cause, summary, restart },
    uid: workload.uid,
    revertedBy: null,
    verdict: null,
  };
}
