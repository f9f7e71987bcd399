import 'server-only';
import { setImmediate } from 'node:timers/promises';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { where } from '@/server/archive/search-filters';
import { type ArchiveDb, type Engine } from '@/server/archive/schema';

/** Where a record stands among all, latest start first. */
export interface Place {
  startedMs: number;
  activation: number;
  id: string;
}

/** Rows whose every word may be looked up in some ten milliseconds. */
const ROWS = 5_000;

/** A server works beside this process, and each slice is a way there and back. */
export function sliceRowsOf(engine: Engine): number {
  return engine === 'sqlite' ? ROWS : Infinity;
}

/**
 * Cuts the records within the bounds into slices of so many rows, latest first, and gives the condition of each: whoever
 * asks them one after the other has read all, with a turn of the event loop after each.
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

/** The start alone leads into the index of that order, from both sides. */
export function isBehind({ startedMs, activation, id }: Place): RawBuilder<SqlBool> {
  return sql`record.started_ms <= ${startedMs}
    and (record.started_ms, record.activation, record.id) < (${startedMs}, ${activation}, ${id})`;
}

function isFrom({ startedMs, activation, id }: Place): RawBuilder<SqlBool> {
  return sql`record.started_ms >= ${startedMs}
    and (record.started_ms, record.activation, record.id) >= (${startedMs}, ${activation}, ${id})`;
}

/** The last one of so many; undefined where there are not even as many. */
async function placeAfter(
  db: ArchiveDb,
  bounds: readonly RawBuilder<SqlBool>[],
  rows: number,
): Promise<Place | undefined> {
  const found = await sql<Place>`
    select record.started_ms as "startedMs", record.activation, record.id from record ${where(bounds)}
    order by record.started_ms desc, record.activation desc, record.id desc
    limit 1 offset ${sql.lit(rows - 1)}`.execute(db);
  return found.rows[0];
}
