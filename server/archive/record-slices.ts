import 'server-only';
import { setImmediate } from 'node:timers/promises';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { where } from '@/server/archive/search-filters';
import { type ArchiveDb, type Engine } from '@/server/archive/migrations/schema';

/** The position of a record among all, latest start first. */
export interface CursorPosition {
  startedMs: number;
  activation: number;
  id: string;
}

/** Rows whose every word can be looked up in some ten milliseconds. */
const ROWS = 5_000;

/** A server works in parallel to this process, and each slice is a round trip. */
export function sliceRowsOf(engine: Engine): number {
  return engine === 'sqlite' ? ROWS : Infinity;
}

/**
 * Cuts the records within the bounds into slices of a given number of rows, latest first, and yields the condition of
 * each: reading them one after the other reads all, with a turn of the event loop after each.
 */
export async function* recordSlices(
  db: ArchiveDb,
  bounds: readonly RawBuilder<SqlBool>[],
  rows: number,
): AsyncGenerator<RawBuilder<SqlBool>[]> {
  for (let above: RawBuilder<SqlBool>[] = []; ;) {
    const last = rows === Infinity ? undefined : await placeAfter(db, [...bounds, ...above], rows);
    yield last === undefined ? above : [...above, isFrom(last)];
    if (last === undefined) return;
    above = [isBehind(last)];
    await setImmediate();
  }
}

/** The start alone limits the range of that index, on both sides. */
export function isBehind({ startedMs, activation, id }: CursorPosition): RawBuilder<SqlBool> {
  return sql`record.started_ms <= ${startedMs}
    and (record.started_ms, record.activation, record.id) < (${startedMs}, ${activation}, ${id})`;
}

function isFrom({ startedMs, activation, id }: CursorPosition): RawBuilder<SqlBool> {
  return sql`record.started_ms >= ${startedMs}
    and (record.started_ms, record.activation, record.id) >= (${startedMs}, ${activation}, ${id})`;
}

/** The last row of a slice; undefined where there are fewer rows. */
async function placeAfter(
  db: ArchiveDb,
  bounds: readonly RawBuilder<SqlBool>[],
  rows: number,
): Promise<CursorPosition | undefined> {
  const found = await sql<CursorPosition>`
    select record.started_ms as "startedMs", record.activation, record.id from record ${where(bounds)}
    order by record.started_ms desc, record.activation desc, record.id desc
    limit 1 offset ${sql.lit(rows - 1)}`.execute(db);
  return found.rows[0];
}
