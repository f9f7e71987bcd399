import 'server-only';
import { sql, type SqlBool } from 'kysely';
import { type FollowUpQuery, type ListedRecord } from '@/server/archive/archive';
import { toColumn } from '@/server/archive/column-values';
import { listedRecordQuery, toListedRecord } from '@/server/archive/records';
import { type ArchiveDb } from '@/server/archive/migrations/schema';
import { scopeFilter } from '@/server/archive/search-filters';

/** Records whose current verdict asks for a follow-up, the one due first in front; without samples. */
export async function followUpsOf(
  db: ArchiveDb,
  { cluster, scopes: places, limit }: FollowUpQuery,
): Promise<ListedRecord[]> {
  const rows = await listedRecordQuery(db)
    .where('review.due', 'is not', null)
    .where('record.cluster', '=', toColumn(cluster))
    .where(places === null ? sql<SqlBool>`1 = 1` : scopeFilter(places).holds)
    .orderBy('review.due')
    .orderBy('record.seq')
    .limit(limit)
    .execute();
  return rows.map(toListedRecord);
}
