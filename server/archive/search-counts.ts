import 'server-only';
import { type RawBuilder, sql } from 'kysely';
import { type RecordCount, type RecordQuery } from '@/server/archive/archive';
import { recordSlices } from '@/server/archive/record-slices';
import { type ArchiveDb } from '@/server/archive/migrations/schema';
import { boundsOf, filtersOf, rowsMeetingAll, mostSelective, where } from '@/server/archive/search-filters';

/** Filters with at most this many rows are evaluated first: looking those up is quicker than checking every record. */
const NARROW_MAX = 30_000;

/**
 * How many of the records that a query finds, on all its pages, began in each bucket of time and had the same outcome;
 * earliest bucket first. Buckets are counted from 1970 on, and empty ones are left out; null: one bucket for all time.
 */
export async function countRecords(
  db: ArchiveDb,
  query: RecordQuery,
  partMs: number | null,
  /** This many are counted together where no index leads to the matches. */
  sliceRows: number,
  narrowMax = NARROW_MAX,
): Promise<RecordCount[]> {
  // An index has all records of a cluster in the order of time, with the counted columns.
  const bounds = boundsOf(query);
  const filters = filtersOf(query);
  const few = filters.some(({ rows }) => rows !== null) ? await mostSelective(db, filters, narrowMax) : [];
  const others = filters.filter((filter) => !few.some((one) => one === filter));
  const conditions = [...bounds, ...others.map(({ holds }) => holds)];
  const part = partMs === null ? sql`0` : sql`record.started_ms / ${sql.lit(partMs)}`;
  const countIn = async (source: RawBuilder<unknown>, leading = sql``): Promise<RecordCount[]> => {
    const { rows } = await sql<{ part: number; outcome: RecordCount['outcome']; count: number }>`
      ${leading} select ${part} as part, record.outcome, count(*) as count
      ${source} group by ${partMs === null ? sql`2` : sql`1, 2`} order by 1, 2`.execute(db);
    return rows.map(({ part: number, outcome, count }) => ({
      fromMs: number * (partMs ?? 0),
      outcome,
      count,
    }));
  };
  if (few.length > 0)
    return countIn(
      sql`from narrow cross join record ${where([sql`record.seq = narrow.seq`, ...conditions])}`,
      sql`with narrow as materialized (${rowsMeetingAll(few)})`,
    );
  const counts: RecordCount[] = [];
  for await (const slice of recordSlices(db, bounds, sliceRows))
    counts.push(...(await countIn(sql`from record ${where([...conditions, ...slice])}`)));
  return sumUp(counts);
}

function sumUp(counts: readonly RecordCount[]): RecordCount[] {
  const sums = new Map<string, RecordCount>();
  for (const { fromMs, outcome, count } of counts) {
    const key = `${fromMs} ${outcome}`;
    sums.set(key, { fromMs, outcome, count: (sums.get(key)?.count ?? 0) + count });
  }
  return [...sums.values()].sort((a, b) => a.fromMs - b.fromMs);
}
