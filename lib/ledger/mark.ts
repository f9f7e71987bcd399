import { type RecordedRelease, type RolloutRecord } from '@/lib/ledger/record';
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
  release: Pick<RecordedRelease, 'resource' | 'name' | 'uid' | 'id'> | null;
  /** Id of the record that took it back; null also where nobody asked. */
  revertedBy: string | null;
  /** Null also where nobody asked. */
  verdict: Verdict['verdict'] | null;
}

/** What a record leaves for lists. */
export function markOfRecord(record: RolloutRecord): RecordMark {
  const { id, activation, from, to, others, startedAt, startedNotAfter, endedAt, outcome } = record;
  const { actor, cause, summary, restart, workload, release } = record;
  return {
    ...{ id, activation, from, to, others, startedAt, startedNotAfter, endedAt, outcome },
    ...{ actor, cause, summary, restart },
    uid: workload.uid,
    release: release === null ? null : releaseMarkOf(release),
    revertedBy: null,
    verdict: null,
  };
}

function releaseMarkOf({ resource, name, uid, id }: RecordedRelease): RecordMark['release'] {
  return { resource, name, uid, id };
}
