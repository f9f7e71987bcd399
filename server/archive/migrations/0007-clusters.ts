import type { Kysely } from 'kysely';

/**
 * One archive may hold several clusters: each read is of one of them, and the lease names the cluster that its holder
 * records.
 */
export async function separateClusters(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('record_by_start').execute();
  await db.schema
    .createIndex('record_by_start')
    .on('record')
    .columns(['cluster', 'started_ms', 'activation', 'id', 'workload_uid', 'ended_ms', 'outcome'])
    .columns(['reviewed', 'start_known', 'stuck', 'has_cause', 'is_return'])
    .execute();
  await db.schema
    .alterTable('lease')
    .addColumn('cluster', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
}
