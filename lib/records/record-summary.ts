import { type RecordedProgressiveRollout, type RolloutRecord } from '@/lib/records/record';
import { type Verdict } from '@/lib/records/review';

/** A record without its progress: what lists, bars and menus need. */
export interface RecordSummary extends Pick<
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
  release: Pick<RecordedProgressiveRollout, 'resource' | 'name' | 'uid' | 'id'> | null;
  /** Id of the record that reverted it; null also where this was not requested. */
  revertedBy: string | null;
  /** Null also where this was not requested. */
  verdict: Verdict['verdict'] | null;
}

/** What lists keep of a record. */
export function summarizeRecord(record: RolloutRecord): RecordSummary {
  const { id, activation, from, to, others, startedAt, startedNotAfter, endedAt, outcome } = record;
  const { actor, cause, summary, restart, workload, release } = record;
  return {
    ...{ id, activation, from, to, others, startedAt, startedNotAfter, endedAt, outcome },
    ...{ actor, cause, summary, restart },
    uid: workload.uid,
    release: release === null ? null : summarizeRelease(release),
    revertedBy: null,
    verdict: null,
  };
}

function summarizeRelease({ resource, name, uid, id }: RecordedProgressiveRollout): RecordSummary['release'] {
  return { resource, name, uid, id };
}
