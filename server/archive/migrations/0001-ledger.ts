import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { Engine } from '@/server/archive/migrations/schema';

/** The tables of the records, and the row that names who may record. */
export async function createRecordTables(db: Kysely<unknown>, engine: Engine): Promise<void> {
  // Names, terms and cursors are ordered by their bytes, as SQLite does, whatever the database's own locale.
  const text = engine === 'postgres' ? sql`text collate "C"` : sql`text`;
  // Only a key of this name is the row's own number in SQLite. https://sqlite.org/lang_createtable.html#rowid
  const rowNumber = engine === 'postgres' ? 'bigint' : 'integer';
  const blob = engine === 'postgres' ? sql`bytea` : sql`blob`;

  await db.schema
    .createTable('life')
    .addColumn('uid', text, (column) => column.primaryKey())
    .addColumn('cluster', text, (column) => column.notNull())
    .addColumn('resource', text, (column) => column.notNull())
    .addColumn('namespace', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('created_ms', 'bigint', (column) => column.notNull())
    .addColumn('deleted_ms', 'bigint')
    .addColumn('document', 'text', (column) => column.notNull())
    .execute();
  await index(db, 'life', 'life_by_name', ['resource', 'namespace', 'name', 'cluster']);
  await index(db, 'life', 'life_by_end', ['cluster', 'deleted_ms']);

  await db.schema
    .createTable('revision')
    .addColumn('workload_uid', text, (column) => column.notNull())
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('hash', text, (column) => column.notNull())
    .addColumn('first_seen_ms', 'bigint', (column) => column.notNull())
    .addColumn('pruned_ms', 'bigint')
    .addColumn('document', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('revision_key', ['workload_uid', 'id'])
    .execute();
  await index(db, 'revision', 'revision_by_hash', ['hash']);

  await db.schema
    .createTable('body')
    .addColumn('hash', text, (column) => column.primaryKey())
    .addColumn('bytes', blob, (column) => column.notNull())
    .addColumn('masked', 'integer', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('activation')
    .addColumn('workload_uid', text, (column) => column.notNull())
    .addColumn('number', 'bigint', (column) => column.notNull())
    .addColumn('document', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('activation_key', ['workload_uid', 'number'])
    .execute();

  await counted(db.schema.createTable('record'), engine)
    .addColumn('id', text, (column) => column.notNull().unique())
    .addColumn('cluster', text, (column) => column.notNull())
    .addColumn('resource', text, (column) => column.notNull())
    .addColumn('namespace', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('workload_uid', text, (column) => column.notNull())
    .addColumn('activation', 'bigint', (column) => column.notNull())
    .addColumn('started_ms', 'bigint', (column) => column.notNull())
    .addColumn('outcome', text, (column) => column.notNull())
    .addColumn('actor', text)
    .addColumn('from_hash', text)
    .addColumn('to_hash', text, (column) => column.notNull())
    .addColumn('pinned', 'integer', (column) => column.notNull())
    .addColumn('reviewed', 'integer', (column) => column.notNull())
    .addColumn('terms_digest', 'text', (column) => column.notNull())
    .execute();
  await index(db, 'record', 'record_by_start', ['started_ms', 'id']);
  await index(db, 'record', 'record_by_namespace', ['namespace', 'started_ms', 'id']);
  await index(db, 'record', 'record_by_name', ['name', 'started_ms', 'id']);
  await index(db, 'record', 'record_by_outcome', ['outcome', 'started_ms', 'id']);
  await index(db, 'record', 'record_by_actor', ['actor', 'started_ms', 'id']);
  await index(db, 'record', 'record_by_review', ['reviewed', 'started_ms', 'id']);
  await index(db, 'record', 'record_by_workload', ['workload_uid', 'activation']);
  await index(db, 'record', 'record_by_target', ['workload_uid', 'to_hash', 'activation']);

  await db.schema
    .createTable('record_document')
    .addColumn('seq', rowNumber, (column) => column.primaryKey().references('record.seq'))
    .addColumn('document', blob, (column) => column.notNull())
    .addColumn('samples', blob)
    .execute();

  const terms = db.schema
    .createTable('record_term')
    .addColumn('term', text, (column) => column.notNull())
    .addColumn('seq', 'bigint', (column) => column.notNull().references('record.seq'))
    .addPrimaryKeyConstraint('record_term_key', ['term', 'seq']);
  await (engine === 'sqlite' ? terms.modifyEnd(sql`without rowid`) : terms).execute();
  await index(db, 'record_term', 'record_term_by_record', ['seq', 'term']);

  await db.schema
    .createTable('review')
    .addColumn('seq', rowNumber, (column) => column.primaryKey().references('record.seq'))
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('document', 'text', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('comment')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('seq', 'bigint', (column) => column.notNull().references('record.seq'))
    .addColumn('at_ms', 'bigint', (column) => column.notNull())
    .addColumn('document', 'text', (column) => column.notNull())
    .execute();
  await index(db, 'comment', 'comment_by_record', ['seq', 'at_ms', 'id']);

  await db.schema
    .createTable('lease')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('holder', 'text', (column) => column.notNull())
    .addColumn('epoch', 'bigint', (column) => column.notNull())
    .addColumn('expires_ms', 'bigint', (column) => column.notNull())
    .execute();
}

function counted(table: CreateTableBuilder<'record'>, engine: Engine): CreateTableBuilder<'record' | 'seq'> {
  return engine === 'sqlite'
    ? table.addColumn('seq', 'integer', (column) => column.primaryKey().autoIncrement())
    : table.addColumn('seq', 'bigint', (column) => column.primaryKey().generatedByDefaultAsIdentity());
}

async function index(db: Kysely<unknown>, table: string, name: string, columns: string[]): Promise<void> {
  await db.schema.createIndex(name).on(table).columns(columns).execute();
}
