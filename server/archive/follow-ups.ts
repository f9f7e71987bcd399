import 'server-only';
import { sql, type SqlBool } from 'kysely';
import { type FollowUpQuery, type ListedRecord } from '@/server/archive/archive';
import { toColumn } from '@/server/archive/codec';
import { listing, toListed } from '@/server/archive/records';
import { type ArchiveDb } from '@/server/archive/schema';
import { placeFilter } from '@/server/archive/search-filters';

/** Records whose standing verdict asks for a follow-up, the one due first in front; without samples. */
export async function followUpsOf(
  db: ArchiveDb,
  { cluster, places, limit }: FollowUpQuery,
): Promise<ListedRecord[]> {
  const rows = await listing(db)
    .where('review.due', 'is not', null)
    .where('record.cluster', '=', toColumn(cluster))
    .where(places === null ? sql<SqlBool>`1 = 1` : placeFilter(places).holds)
    .orderBy('review.due')
    .orderBy('record.seq')
    .limit(limit)
    .execute();
  return rows.map(toListed);
}
