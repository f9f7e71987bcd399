import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { Engine } from '@/server/archive/migrations/schema';

/**
 * The cluster becomes part of every key: one that was restored from the backup of another has objects of the same uids.
 * Each row stays with the cluster that wrote it. The lease becomes one for each cluster.
 */
export async function keyByCluster(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const text = engine === 'postgres' ? sql`text collate "C"` : sql`text`;
  await createClusters(db, text);
  await moveIncarnations(db, text);
  await moveRevisions(db, text);
  await moveActivations(db, text);
  await reorderIndexes(db);
  await moveLease(db, text);
  await addClusterOfNotices(db, text);
}

type ColumnType = ReturnType<typeof sql>;

async function createClusters(db: Kysely<unknown>, text: ColumnType): Promise<void> {
  await db.schema
    .createTable('cluster')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('first_seen_ms', 'bigint', (column) => column.notNull())
    .addColumn('last_seen_ms', 'bigint', (column) => column.notNull())
    .addColumn('document', 'text', (column) => column.notNull())
    .execute();
  const { rows } = await sql<{ id: string; first: number | null; last: number }>`
    select cluster as id, min(nullif(ms, 0)) as first, max(ms) as last
    from (select cluster, started_ms as ms from record union all select cluster, started_ms from action
      union all select cluster, created_ms from life) as known
    group by cluster`.execute(db);
  for (const { id, first, last } of rows) {
    const [firstMs, lastMs] = [Number(first ?? 0), Number(last)];
    const [firstSeenAt, lastSeenAt] = [firstMs, lastMs].map((ms) => new Date(ms).toISOString());
    // Its name was not stored.
    const document = JSON.stringify({ v: 2, id, name: null, aliases: [], firstSeenAt, lastSeenAt });
    await sql`
      insert into cluster (id, first_seen_ms, last_seen_ms, document)
      values (${id}, ${firstMs}, ${lastMs}, ${document})`.execute(db);
  }
}

async function moveIncarnations(db: Kysely<unknown>, text: ColumnType): Promise<void> {
  await ofCluster(db.schema.createTable('incarnation'), text)
    .addColumn('uid', text, (column) => column.notNull())
    .addColumn('resource', text, (column) => column.notNull())
    .addColumn('namespace', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('created_ms', 'bigint', (column) => column.notNull())
    .addColumn('deleted_ms', 'bigint')
    .addColumn('document', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('incarnation_key', ['cluster', 'uid'])
    .execute();
  await sql`
    insert into incarnation (cluster, uid, resource, namespace, name, created_ms, deleted_ms, document)
    select cluster, uid, resource, namespace, name, created_ms, deleted_ms, document from life`.execute(db);
  await db.schema.dropTable('life').execute();
  await index(db, 'incarnation', 'incarnation_by_name', ['cluster', 'resource', 'namespace', 'name']);
  await index(db, 'incarnation', 'incarnation_by_end', ['cluster', 'deleted_ms']);
}

async function moveRevisions(db: Kysely<unknown>, text: ColumnType): Promise<void> {
  await db.schema.alterTable('revision').renameTo('revision_before').execute();
  await ofCluster(db.schema.createTable('revision'), text)
    .addColumn('workload_uid', text, (column) => column.notNull())
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('hash', text, (column) => column.notNull())
    .addColumn('first_seen_ms', 'bigint', (column) => column.notNull())
    .addColumn('pruned_ms', 'bigint')
    .addColumn('document', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('revision_of_incarnation', ['cluster', 'workload_uid', 'id'])
    .execute();
  await sql`
    insert into revision (cluster, workload_uid, id, hash, first_seen_ms, pruned_ms, document)
    select incarnation.cluster, workload_uid, id, hash, first_seen_ms, pruned_ms, revision_before.document
    from revision_before join incarnation on incarnation.uid = workload_uid`.execute(db);
  await db.schema.dropTable('revision_before').execute();
  await index(db, 'revision', 'revision_by_hash', ['hash']);
}

async function moveActivations(db: Kysely<unknown>, text: ColumnType): Promise<void> {
  await db.schema.alterTable('activation').renameTo('activation_before').execute();
  await ofCluster(db.schema.createTable('activation'), text)
    .addColumn('workload_uid', text, (column) => column.notNull())
    .addColumn('number', 'bigint', (column) => column.notNull())
    .addColumn('document', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('activation_of_incarnation', ['cluster', 'workload_uid', 'number'])
    .execute();
  await sql`
    insert into activation (cluster, workload_uid, number, document)
    select incarnation.cluster, workload_uid, number, activation_before.document
    from activation_before join incarnation on incarnation.uid = workload_uid`.execute(db);
  await db.schema.dropTable('activation_before').execute();
}

/** By table: the columns of each index after the cluster. */
const INDEXES = {
  record: {
    record_by_namespace: ['namespace', 'started_ms', 'activation', 'id'],
    record_by_name: ['name', 'started_ms', 'activation', 'id'],
    record_by_outcome: ['outcome', 'started_ms', 'activation', 'id'],
    record_by_actor: ['actor', 'started_ms', 'activation', 'id'],
    record_by_review: ['reviewed', 'started_ms', 'activation', 'id'],
    record_by_workload: ['workload_uid', 'activation'],
    record_by_target: ['workload_uid', 'to_hash', 'activation'],
    record_by_meaning: ['workload_uid', 'to_meaning', 'activation'],
  },
  action: {
    action_by_start: ['started_ms', 'id'],
    action_by_namespace: ['namespace', 'started_ms', 'id'],
    action_by_actor: ['actor', 'started_ms', 'id'],
    action_by_state: ['state', 'started_ms', 'id'],
  },
};

async function reorderIndexes(db: Kysely<unknown>): Promise<void> {
  for (const [table, indexes] of Object.entries(INDEXES)) {
    for (const [name, columns] of Object.entries(indexes)) {
      await db.schema.dropIndex(name).execute();
      await index(db, table, name, ['cluster', ...columns]);
    }
  }
}

/** Its holder did not always state the cluster; a lease without one is dropped, and the holder acquires another. */
async function moveLease(db: Kysely<unknown>, text: ColumnType): Promise<void> {
  await db.schema.alterTable('lease').renameTo('lease_before').execute();
  await ofCluster(db.schema.createTable('lease'), text)
    .addColumn('holder', 'text', (column) => column.notNull())
    .addColumn('epoch', 'bigint', (column) => column.notNull())
    .addColumn('expires_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('lease_of_cluster', ['cluster'])
    .execute();
  await sql`
    insert into lease (cluster, holder, epoch, expires_ms)
    select cluster, holder, epoch, expires_ms from lease_before where cluster <> ''`.execute(db);
  await db.schema.dropTable('lease_before').execute();
}

/** Of what waits: settled notices only keep others with their ids from being sent. */
async function addClusterOfNotices(db: Kysely<unknown>, text: ColumnType): Promise<void> {
  await db.schema
    .alterTable('outbox')
    .addColumn('cluster', text, (column) => column.notNull().defaultTo(''))
    .execute();
  const { rows } = await sql<{ id: string; target: string; payload: string }>`
    select id, target, payload from outbox where next_ms is not null`.execute(db);
  for (const { id, target, payload } of rows) {
    const { workload } = JSON.parse(payload) as { workload: { cluster: string } };
    await sql`
      update outbox set cluster = ${workload.cluster} where id = ${id} and target = ${target}`.execute(db);
  }
}

function ofCluster<Table extends string>(table: CreateTableBuilder<Table>, text: ColumnType) {
  return table.addColumn('cluster', text, (column) => column.notNull());
}

async function index(db: Kysely<unknown>, table: string, name: string, columns: string[]): Promise<void> {
  await db.schema.createIndex(name).on(table).columns(columns).execute();
}
