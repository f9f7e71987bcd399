import 'server-only';
import { type Neighbours } from '@/server/archive/archive';
import { toColumn } from '@/server/archive/codec';
import { type ArchiveDb } from '@/server/archive/schema';

/** The records of the same life before and after an activation. */
export async function neighboursOf(
  db: ArchiveDb,
  workloadUid: string,
  activation: number,
): Promise<Neighbours> {
  const ofLife = db.selectFrom('record').select('id').where('workload_uid', '=', toColumn(workloadUid));
  const [previous, next] = await Promise.all([
    ofLife.where('activation', '<', activation).orderBy('activation', 'desc').limit(1).executeTakeFirst(),
    ofLife.where('activation', '>', activation).orderBy('activation').limit(1).executeTakeFirst(),
  ]);
  return { previous: previous?.id ?? null, next: next?.id ?? null };
}
