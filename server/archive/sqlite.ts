import 'server-only';
import { chmodSync, closeSync, existsSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  Kysely,
  sql,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely';
import { LRUCache } from 'lru-cache';
import { AppError } from '@/lib/errors';
import { isLocked, toArchiveError } from '@/server/archive/errors';
import { tracedQueries } from '@/server/archive/traced-queries';
import type { ArchiveDatabase, ArchiveSchema } from '@/server/archive/migrations/schema';

/** SQLite blocks everything else while it waits for a lock, so it waits briefly; `retryWhileLocked` waits the rest. */
const BUSY_TIMEOUT_MS = 50;

const STATEMENTS_MAX = 200;

/**
 * Throws AppError `archive_unavailable` where SQLite would begin a new archive without a word, though there was one: an
 * empty file in a data directory that was in use, or a log of changes to a file that is gone, which SQLite would delete.
 * A missing file alone begins a new archive: it is how that is done on purpose.
 */
export function refuseEmptied(path: string): void {
  if ((sizeOf(path) ?? 0) > 0) return;
  const log = `${path}-wal`;
  const hasLog = (sizeOf(log) ?? 0) > 0;
  const isEmptied = sizeOf(path) === 0 && wasInUse(dirname(path));
  if (!hasLog && !isEmptied) return;
  const names = [...(sizeOf(path) === 0 ? [basename(path)] : []), ...(hasLog ? [basename(log)] : [])];
  const sentence = `The archive ${basename(path)} is empty or missing, though its data directory was in use, and nothing was changed. Restore a backup, or move ${names.join(' and ')} away to begin a new archive.`;
  throw new AppError('archive_unavailable', sentence, { reason: 'empty', retry: true });
}

/** By what Shiplog writes there after its first start: known clusters, and the audit. */
function wasInUse(folder: string): boolean {
  return readdirSync(folder).some(
    (name) =>
      name === 'clusters.json' || (/^audit.*\.jsonl$/.test(name) && (sizeOf(join(folder, name)) ?? 0) > 0),
  );
}

/** Undefined where there is no file. */
function sizeOf(path: string): number | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() ? found.size : undefined;
}

/**
 * The archive in one file, for this user only. Throws the engine's own error when the file can't be opened. The write
 * ahead log lies beside it, so the folder must not be on a network file system. https://sqlite.org/wal.html
 */
export function openSqlite(path: string): ArchiveDatabase {
  const isNew = !existsSync(path);
  // Created with its mode, before there is anything to read in it; the log takes over the mode of the file.
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  const file = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    file.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on');
  } catch (error) {
    file.close();
    // On a full disk: an empty file would look like an archive that was lost.
    if (isNew && sizeOf(path) === 0 && !isLocked(toArchiveError(error))) rmSync(path, { force: true });
    throw error;
  }
  const db = new Kysely<ArchiveSchema>({ dialect: dialectOf(file), ...tracedQueries('sqlite') });
  return { engine: 'sqlite', db, bytes: () => bytesOf(db) };
}

async function bytesOf(db: Kysely<ArchiveSchema>): Promise<number> {
  const { rows } = await sql<{
    bytes: number;
  }>`select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`.execute(db);
  return rows[0]?.bytes ?? 0;
}

function dialectOf(file: DatabaseSync): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new Driver(file),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

class Driver extends SqliteDriver {
  readonly #file: DatabaseSync;

  constructor(file: DatabaseSync) {
    super({ database: adapt(file) });
    this.#file = file;
  }

  /** A transaction that begins as a reader can't become a writer once another process has written in between. */
  override async beginTransaction(
    connection: DatabaseConnection,
    settings?: TransactionSettings,
  ): Promise<void> {
    const begin = settings?.accessMode === 'read only' ? 'begin' : 'begin immediate';
    await connection.executeQuery(CompiledQuery.raw(begin));
  }

  /** A full disk has rolled back already; an error of the rollback would hide the cause. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#file.isTransaction) await super.rollbackTransaction(connection);
  }
}

/** The interface that the driver expects of a database: `reader` states whether there are rows to fetch. */
function adapt(file: DatabaseSync): SqliteDatabase {
  const statements = new LRUCache<string, StatementSync>({ max: STATEMENTS_MAX });
  function statementOf(text: string): StatementSync {
    const known = statements.get(text);
    if (known !== undefined) return known;
    const statement = file.prepare(text);
    // The engine's own objects take twice the time, and have no prototype, which React does not accept.
    statement.setReturnArrays(true);
    statements.set(text, statement);
    return statement;
  }
  return {
    close: () => file.close(),
    prepare(text) {
      const statement = statementOf(text);
      const names = statement.columns().map(({ name }) => name);
      return {
        reader: names.length > 0,
        all: (parameters) => [...namedRows(names, statement.all(...bind(parameters)))],
        run: (parameters) => statement.run(...bind(parameters)),
        iterate: (parameters) => namedRows(names, statement.iterate(...bind(parameters))),
      };
    },
  };
}

/** A function of the module: of each generator function that is created the engine keeps a trace, even if it never runs. */
function* namedRows(names: readonly string[], rows: Iterable<unknown>): Generator<Record<string, unknown>> {
  for (const row of rows) yield rowOf(names, row as unknown[]);
}

function bind(parameters: readonly unknown[]): SQLInputValue[] {
  return parameters as SQLInputValue[];
}

function rowOf(names: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (let index = 0; index < names.length; index += 1) row[names[index] ?? ''] = values[index];
  return row;
}

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
