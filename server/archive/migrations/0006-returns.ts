import { type Kysely, sql } from 'kysely';

/**
 * Which rollouts returned to a template that had been the target before. It is stored, since the earlier record may
 * expire. The next migration adds it to the index of starts, from which a report is counted.
 */
export async function addReturns(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('record')
    .addColumn('is_return', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`
    update record set is_return = 1
    where from_hash <> to_hash and exists (
      select 1 from record as earlier
      where earlier.workload_uid = record.workload_uid and earlier.to_hash = record.to_hash
        and earlier.activation < record.activation)`.execute(db);
}
