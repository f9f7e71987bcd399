import type { Kysely } from 'kysely';

const PREFIXES = {
  record_by_start: [],
  record_by_namespace: ['namespace'],
  record_by_name: ['name'],
  record_by_outcome: ['outcome'],
  record_by_actor: ['actor'],
  record_by_review: ['reviewed'],
};

/** Rollouts of one workload may begin within one second: then their numbers give the order, not their ids. */
export async function orderByActivation(db: Kysely<unknown>): Promise<void> {
  for (const [name, prefix] of Object.entries(PREFIXES)) {
    await db.schema.dropIndex(name).execute();
    await db.schema
      .createIndex(name)
      .on('record')
      .columns([...prefix, 'started_ms', 'activation', 'id'])
      .execute();
  }
}
