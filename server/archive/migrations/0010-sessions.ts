import { type Kysely, sql } from 'kysely';
import type { Engine } from '@/server/archive/migrations/schema';

/** Who has signed in and until when, and the people who have been seen. */
export async function addSessions(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const text = engine === 'postgres' ? sql`text collate "C"` : sql`text`;
  await db.schema
    .createTable('session')
    .addColumn('id_hash', text, (column) => column.primaryKey())
    .addColumn('act_hash', text, (column) => column.notNull())
    .addColumn('person', text, (column) => column.notNull())
    .addColumn('document', text, (column) => column.notNull())
    .addColumn('sealed', text, (column) => column.notNull())
    .addColumn('seen_ms', 'bigint', (column) => column.notNull())
    .addColumn('expires_ms', 'bigint', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('refresh_owner', text)
    .addColumn('refresh_until_ms', 'bigint', (column) => column.notNull())
    .addColumn('checked_ms', 'bigint', (column) => column.notNull())
    .addColumn('issuer', text)
    .addColumn('subject', text)
    .addColumn('sid', text)
    .execute();
  await db.schema.createIndex('session_by_expiry').on('session').columns(['expires_ms']).execute();
  await db.schema.createIndex('session_by_person').on('session').columns(['person']).execute();
  await db.schema.createIndex('session_by_subject').on('session').columns(['issuer', 'subject']).execute();
  await db.schema
    .createTable('person')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('term', text, (column) => column.notNull())
    .addColumn('seen_ms', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('person_by_seen').on('person').columns(['seen_ms']).execute();
}
