import 'server-only';
import { type ListedRecord } from '@/server/archive/archive';
import { listing, toListed } from '@/server/archive/records';
import { type ArchiveDb } from '@/server/archive/schema';

/** Records whose standing verdict asks for a follow-up, the one due first in front; without samples. */
export async function followUpsOf(db: ArchiveDb, limit: number): Promise<ListedRecord[]> {
  const rows = await listing(db)
    .where('review.due', 'is not', null)
    .orderBy('review.due')
    .orderBy('record.seq')
    .limit(limit)
    .execute();
  return rows.map(toListed);
}
