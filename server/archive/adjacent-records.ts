import 'server-only';
import { type AdjacentRecords } from '@/server/archive/archive';
import { toColumn } from '@/server/archive/column-values';
import { type ArchiveDb } from '@/server/archive/migrations/schema';

/** The records of the same incarnation before and after an activation. */
export async function adjacentRecordsOf(
  db: ArchiveDb,
  workloadUid: string,
  activation: number,
): Promise<AdjacentRecords> {
  const ofIncarnation = db
    .selectFrom('record')
    .select('id')
    .where('workload_uid', '=', toColumn(workloadUid));
  const [previous, next] = await Promise.all([
    ofIncarnation
      .where('activation', '<', activation)
      .orderBy('activation', 'desc')
      .limit(1)
      .executeTakeFirst(),
    ofIncarnation.where('activation', '>', activation).orderBy('activation').limit(1).executeTakeFirst(),
  ]);
  return { previous: previous?.id ?? null, next: next?.id ?? null };
}
