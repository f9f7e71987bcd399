import 'server-only';
import { sql } from 'kysely';
import { type RevertedRecord } from '@/server/archive/archive';
import { chunksOf, toColumn } from '@/server/archive/column-values';
import { summaryOfDocument } from '@/server/archive/record-summaries';
import { isChanged, nearestTo } from '@/server/archive/same-template';
import { type ArchiveDb } from '@/server/archive/migrations/schema';

/**
 * For those of the records that returned to an earlier template: the rollout that led away from it when it was last the
 * target, and how many came after that.
 */
export async function revertedRecordsBy(
  db: ArchiveDb,
  ids: readonly string[],
): Promise<Map<string, RevertedRecord>> {
  const found = new Map<string, RevertedRecord>();
  for (const chunk of chunksOf(ids.map(toColumn))) {
    const { rows } = await sql<Row>`
      select record.id, record.activation as "activation", away.activation as "awayActivation", document
      from record
      join record as away on away.workload_uid = record.workload_uid and away.activation = (
        select min(next.activation) from record as next
        where next.workload_uid = record.workload_uid and next.activation > ${nearestTo('to', 'before')})
      join record_document on record_document.seq = away.seq
      where record.id in (${sql.join(chunk)})
        and ${isChanged} and away.activation < record.activation`.execute(db);
    for (const { id, activation, awayActivation, document } of rows)
      found.set(id, { first: summaryOfDocument(document), others: activation - awayActivation - 1 });
  }
  return found;
}

interface Row {
  id: string;
  activation: number;
  awayActivation: number;
  document: Uint8Array;
}
