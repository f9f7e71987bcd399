import 'server-only';
import { type SelectQueryBuilder, type Simplify, sql, type SqlBool } from 'kysely';

const PAGE_ROWS = 500;

/**
 * The rows of a query, some at a time, in the order of columns that it selects and that no two rows have in common. In
 * one transaction they are those of one moment.
 */
export async function* pagesOf<Tables, Selected extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Selected, Row>,
  ...key: (keyof Row & string)[]
): AsyncGenerator<Simplify<Row>[]> {
  const columns = key.map((name) => sql.ref(name));
  const first = columns.reduce((ordered, column) => ordered.orderBy(column), query).limit(PAGE_ROWS);
  for (let page = first; ;) {
    const rows = await page.execute();
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    const position = key.map((name) => last[name]);
    page = first.where(sql<SqlBool>`(${sql.join(columns)}) > (${sql.join(position)})`);
  }
}
