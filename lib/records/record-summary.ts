import { type RecordedProgressiveRollout, type RolloutRecord } from '@/lib/api/record';
import { type RecordSummary } from '@/lib/api/record-summary';

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
