import 'server-only';
import { type Kysely, sql } from 'kysely';
import { AppError } from '@/lib/errors';
import { type Migration, migrations } from '@/server/archive/migrations/migrations';
import type { ArchiveDatabase, ArchiveTransaction } from '@/server/archive/migrations/schema';

/** Any number that no other program takes an advisory lock on in the same database. */
const LOCK_ID = 7_305_118_440;

/**
 * Migrates the schema to the version of this program, in one transaction: if a step fails, the database is as it was.
 * Two processes that start together take turns. Throws AppError `archive_unavailable`, `details.retry` false, where a
 * newer program has used the database.
 */
export async function migrate(
  { engine, db }: ArchiveDatabase,
  steps: readonly Migration[] = migrations,
  nowMs = Date.now(),
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    // An index over a large table takes its time, and so does another process that holds the lock for one.
    if (engine === 'postgres') await sql`set local statement_timeout = 0`.execute(transaction);
    if (engine === 'postgres') await sql`select pg_advisory_xact_lock(${LOCK_ID})`.execute(transaction);
    await transaction.schema
      .createTable('migration')
      .ifNotExists()
      .addColumn('number', 'integer', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('applied_ms', 'bigint', (column) => column.notNull())
      .execute();
    const reached = await schemaNumber(transaction);
    if (reached > steps.length) throw tooNew(reached, steps.length);
    for (const [index, { name, up }] of steps.entries()) {
      if (index < reached) continue;
      await up(transaction as unknown as Kysely<unknown>, engine);
      await transaction
        .insertInto('migration')
        .values({ number: index + 1, name, applied_ms: nowMs })
        .execute();
    }
  });
}

async function schemaNumber(transaction: ArchiveTransaction): Promise<number> {
  const row = await transaction
    .selectFrom('migration')
    .select((of) => of.fn.max('number').as('number'))
    .executeTakeFirst();
  return row?.number ?? 0;
}

function tooNew(found: number, known: number): AppError {
  return new AppError(
    'archive_unavailable',
    `The archive was last used by a newer Shiplog: its schema has the number ${found}, and this one knows up to ${known}. Start the newer Shiplog again, or give this one another database.`,
    { reason: 'newer', retry: false, found, known },
  );
}
