import type { RolloutRecord } from '@/lib/api/record';
import { type RecordSummary, summarizedRecordSchema } from '@/lib/api/record-summary';

/** What the archive answers for the summary of a record that nothing reverted and nobody reviewed. */
export function summarizeRecord(record: RolloutRecord): RecordSummary {
  const { workload, ...summary } = summarizedRecordSchema.parse(record);
  return { ...summary, uid: workload.uid, revertedBy: null, verdict: null };
}
