import 'server-only';
import { sql } from 'kysely';
import { type ArchiveDatabase, tables } from '@/server/archive/migrations/schema';

/** Frees the space of what has expired, and renews the engine's statistics of its tables. Takes a while. */
export async function vacuumArchive({ engine, db }: ArchiveDatabase): Promise<void> {
  await db.connection().execute(async (connection) => {
    if (engine === 'postgres') {
      await sql`set statement_timeout = 0`.execute(connection);
      for (const table of tables) await sql`vacuum (full, analyze) ${sql.table(table)}`.execute(connection);
      return;
    }
    await sql`vacuum`.execute(connection);
    await sql`pragma wal_checkpoint(truncate)`.execute(connection);
    await sql`analyze`.execute(connection);
  });
}
