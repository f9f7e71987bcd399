import 'server-only';
import { CompiledQuery, type DatabaseConnection, Kysely, PostgresDialect, sql } from 'kysely';
import { Pool, types } from 'pg';
import { type ArchiveDatabase, type ArchiveSchema, tables } from '@/server/archive/schema';

const CONNECTIONS_MAX = 8;
/** A renewal and a recording, which must not wait for eight slow reports: the lease would pass to another. */
const KEEPER_CONNECTIONS = 2;
const CONNECT_TIMEOUT_MS = 5_000;

/** A statement that hangs must not hold up a stop or a request for ever; an export reads in many short ones. */
const STATEMENT_TIMEOUT_MS = 60_000;

/**
 * A process that stands still in the middle of a transaction holds the row of the lease, on which whoever would take
 * over waits. Shorter than the lease; no transaction of ours does anything but ask in between.
 */
const IDLE_TIMEOUT_MS = 5_000;

/** 64-bit integers, which `count` and sums have too. Ours are times and counts, far below 2^53. */
const INT8_OID = 20;
const NUMERIC_OID = 1700;

/** The archive in PostgreSQL 14 or newer. Connects on first use. */
export function openPostgres(url: string): ArchiveDatabase {
  const db = connect(url, CONNECTIONS_MAX);
  return { engine: 'postgres', db, keeper: connect(url, KEEPER_CONNECTIONS), bytes: () => bytesOf(db) };
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
  // A connection that breaks is told by what is asked of it, and replaced by the pool. Without listeners it would end
  // the process: the pool hears it while the connection is idle, nobody does while it is in use.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new Kysely<ArchiveSchema>({
    dialect: new PostgresDialect({ pool, onCreateConnection: withoutCompiling }),
  });
}

/** Our statements are done sooner than they would be compiled. https://www.postgresql.org/docs/current/jit-decision.html */
async function withoutCompiling(connection: DatabaseConnection): Promise<void> {
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
