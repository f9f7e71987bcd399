import type { Kysely } from 'kysely';

/** The index of starts also holds what a report counts, so that the report reads only the index, in its order. */
export async function widenOrder(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('record_by_start').execute();
  await db.schema
    .createIndex('record_by_start')
    .on('record')
    .columns(['started_ms', 'activation', 'id', 'workload_uid', 'ended_ms', 'outcome'])
    .columns(['reviewed', 'start_known', 'stuck', 'has_cause'])
    .execute();
}
