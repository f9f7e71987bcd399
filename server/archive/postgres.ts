import 'server-only';
import { CompiledQuery, type DatabaseConnection, Kysely, PostgresDialect, sql } from 'kysely';
import { Pool, types } from 'pg';
import { tracedQueries } from '@/server/archive/traced-queries';
import { type ArchiveDatabase, type ArchiveSchema, tables } from '@/server/archive/migrations/schema';

const CONNECTIONS_MAX = 8;
/** A renewal and a recording, which must not wait for eight slow reports: the lease would pass to another process. */
const RECORDER_CONNECTIONS = 2;
const CONNECT_TIMEOUT_MS = 5_000;

/** A statement that hangs must not block a stop or a request without end; an export reads in many short ones. */
const STATEMENT_TIMEOUT_MS = 60_000;

/**
 * A process that hangs in the middle of a transaction locks the row of the lease, for which the next holder waits.
 * Shorter than the lease; Shiplog's transactions only send statements in between.
 */
const IDLE_TIMEOUT_MS = 5_000;

/** 64-bit integers, which `count` and sums have too. Shiplog's are times and counts, far below 2^53. */
const INT8_OID = 20;
const NUMERIC_OID = 1700;

/** The archive in PostgreSQL 14 or newer. Connects on first use. */
export function openPostgres(url: string): ArchiveDatabase {
  const db = connect(url, CONNECTIONS_MAX);
  return { engine: 'postgres', db, recorderDb: connect(url, RECORDER_CONNECTIONS), bytes: () => bytesOf(db) };
}

function connect(url: string, max: number): Kysely<ArchiveSchema> {
  const pool = new Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_TIMEOUT_MS,
    application_name: 'shiplog',
    types: { getTypeParser },
  });
  // The next statement reports a broken connection, and the pool replaces it. Without listeners its error would end the
  // process: the pool listens only while the connection is idle.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new Kysely<ArchiveSchema>({
    dialect: new PostgresDialect({ pool, onCreateConnection: disableJit }),
    ...tracedQueries('postgres'),
  });
}

/**
 * Shiplog's statements are done sooner than they would be compiled.
 * https://www.postgresql.org/docs/current/jit-decision.html
 */
async function disableJit(connection: DatabaseConnection): Promise<void> {
  await connection.executeQuery(CompiledQuery.raw('set jit = off'));
}

function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (format !== 'binary' && (oid === INT8_OID || oid === NUMERIC_OID)) return Number;
  return types.getTypeParser(oid, format) as (value: string) => unknown;
}

async function bytesOf(db: Kysely<ArchiveSchema>): Promise<number> {
  const names = sql.join(tables.map((table) => sql`${table}`));
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(pg_total_relation_size(oid)), 0) as bytes from pg_class
    where relnamespace = current_schema()::regnamespace and relname in (${names})`.execute(db);
  return rows[0]?.bytes ?? 0;
}
