import { type Kysely, sql } from 'kysely';
import type { Engine } from '@/server/archive/migrations/schema';

/** What templates mean, next to their bytes. Existing records are backfilled once the archive is open, in slices. */
export async function addMeanings(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const text = engine === 'postgres' ? sql`text collate "C"` : sql`text`;
  await db.schema.alterTable('record').addColumn('from_meaning', text).execute();
  await db.schema.alterTable('record').addColumn('to_meaning', text).execute();
  await db.schema
    .alterTable('record')
    .addColumn('rules', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createIndex('record_by_meaning')
    .on('record')
    .columns(['workload_uid', 'to_meaning', 'activation'])
    .execute();
  await db.schema.createIndex('record_by_rules').on('record').columns(['rules', 'seq']).execute();
}
