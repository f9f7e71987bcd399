import { type Kysely, sql } from 'kysely';
import type { Engine } from '@/server/archive/migrations/schema';

/** Reviews and sign-ins of the audit file, for Activity, and what people have set for themselves. */
export async function addTeam(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const text = engine === 'postgres' ? sql`text collate "C"` : sql`text`;
  await db.schema
    .createTable('event')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('at_ms', 'bigint', (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('person', text)
    .addColumn('cluster', text)
    .addColumn('document', text, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('event_by_time').on('event').columns(['at_ms', 'id']).execute();
  await db.schema
    .createTable('preference')
    .addColumn('person', text, (column) => column.primaryKey())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('document', text, (column) => column.notNull())
    .addColumn('changed_ms', 'bigint', (column) => column.notNull())
    .execute();
}
