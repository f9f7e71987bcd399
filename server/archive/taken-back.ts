import 'server-only';
import { sql } from 'kysely';
import { type TakenBackRecord } from '@/server/archive/archive';
import { partsOf, toColumn } from '@/server/archive/codec';
import { markOfDocument } from '@/server/archive/marks';
import { isChanged, nearestTo } from '@/server/archive/same-template';
import { type ArchiveDb } from '@/server/archive/schema';

/**
 * For those of the records that returned to an earlier template: the rollout that had led away from it when it ran
 * last, and how many came after that.
 */
export async function takenBackBy(
  db: ArchiveDb,
  ids: readonly string[],
): Promise<Map<string, TakenBackRecord>> {
  const found = new Map<string, TakenBackRecord>();
  for (const part of partsOf(ids.map(toColumn))) {
    const { rows } = await sql<Row>`
      select record.id, record.activation as "activation", away.activation as "awayActivation", document
      from record
      join record as away on away.workload_uid = record.workload_uid and away.activation = (
        select min(next.activation) from record as next
        where next.workload_uid = record.workload_uid and next.activation > ${nearestTo('to', 'before')})
      join record_document on record_document.seq = away.seq
      where record.id in (${sql.join(part)})
        and ${isChanged} and away.activation < record.activation`.execute(db);
    for (const { id, activation, awayActivation, document } of rows)
      found.set(id, { first: markOfDocument(document), others: activation - awayActivation - 1 });
  }
  return found;
}

interface Row {
  id: string;
  activation: number;
  awayActivation: number;
  document: Uint8Array;
}
