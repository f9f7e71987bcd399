import 'server-only';
import { sql } from 'kysely';
import { type RecordCount, type RecordQuery } from '@/server/archive/archive';
import { type ArchiveDb } from '@/server/archive/schema';
import { boundsOf, filtersOf, where } from '@/server/archive/search-filters';

/**
 * How many of the records that a query finds, its page aside, began in each part of the time and ended alike; earliest
 * part first. Parts are counted from 1970 on, and those without a record are left out.
 */
export async function countRecords(
  db: ArchiveDb,
  query: RecordQuery,
  partMs: number,
): Promise<RecordCount[]> {
  const conditions = [...boundsOf(query), ...filtersOf(query).map(({ holds }) => holds)];
  const part = sql`record.started_ms / ${sql.lit(partMs)}`;
  const { rows } = await sql<{ part: number; outcome: RecordCount['outcome']; count: number }>`
    select ${part} as part, record.outcome, count(*) as count
    from record ${where(conditions)}
    group by 1, 2 order by 1, 2`.execute(db);
  return rows.map(({ part: number, outcome, count }) => ({ fromMs: number * partMs, outcome, count }));
}
