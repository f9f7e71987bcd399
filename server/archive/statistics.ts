import 'server-only';
import { sql } from 'kysely';
import { type ArchiveDatabase } from '@/server/archive/migrations/schema';

/** Rows of a table, and those that one value of the first, second, … column of an index selects. */
const ROWS = 100_000;
const SELECTED = [ROWS, 20, 2];

interface IndexColumn {
  index: string;
  table: string;
  isUnique: number;
  column: string | null;
}

/**
 * SQLite assumes that any value of the first column of an index selects ten rows, and then reads all rows of a cluster
 * to find one: a cluster selects most of a table. PostgreSQL keeps statistics of its own, and so does SQLite from the
 * first vacuum on.
 * https://sqlite.org/optoverview.html#manual_control_of_query_plans_using_sqlite_stat_tables
 */
export async function stateSelectivity({ engine, db }: ArchiveDatabase): Promise<void> {
  if (engine !== 'sqlite') return;
  await db.transaction().execute(async (transaction) => {
    // Of any table, to have a place for them.
    await sql`analyze migration`.execute(transaction);
    const { rows } = await sql<IndexColumn>`
      select list.name as "index", tables.name as "table", list."unique" as "isUnique", info.name as "column"
      from sqlite_schema as tables, pragma_index_list(tables.name) as list, pragma_index_info(list.name) as info
      where tables.type = 'table' and list.name not in (select idx from sqlite_stat1 where idx is not null)
      order by list.name, info.seqno`.execute(transaction);
    for (const [index, columns] of Map.groupBy(rows, (row) => row.index)) {
      const [first] = columns;
      if (first?.column !== 'cluster') continue;
      const selected = columns.map((_, place) => SELECTED[place] ?? 1);
      if (first.isUnique === 1) selected[selected.length - 1] = 1;
      const stat = [ROWS, ...selected].join(' ');
      await sql`insert into sqlite_stat1 (tbl, idx, stat) values (${first.table}, ${index}, ${stat})`.execute(
        transaction,
      );
    }
    // Has the planner read them.
    await sql`analyze sqlite_schema`.execute(transaction);
  });
}
