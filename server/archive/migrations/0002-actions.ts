import { inflateRawSync } from 'node:zlib';
import { type Kysely, sql } from 'kysely';
import type { Engine } from '@/server/archive/migrations/schema';

/** Actions through Shiplog, how far the journal has been read, and pending notifications. */
export async function createActions(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const text = engine === 'postgres' ? sql`text collate "C"` : sql`text`;

  await db.schema
    .createTable('action')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('cluster', text, (column) => column.notNull())
    .addColumn('resource', text, (column) => column.notNull())
    .addColumn('namespace', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('uid', text, (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('state', text, (column) => column.notNull())
    .addColumn('actor', text, (column) => column.notNull())
    .addColumn('started_ms', 'bigint', (column) => column.notNull())
    .addColumn('changed_ms', 'bigint', (column) => column.notNull())
    .addColumn('document', 'text', (column) => column.notNull())
    .execute();
  await index(db, 'action', 'action_by_start', ['started_ms', 'id']);
  await index(db, 'action', 'action_by_namespace', ['namespace', 'started_ms', 'id']);
  await index(db, 'action', 'action_by_actor', ['actor', 'started_ms', 'id']);
  await index(db, 'action', 'action_by_state', ['state', 'started_ms', 'id']);

  await db.schema
    .createTable('journal')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addColumn('damaged', 'bigint', (column) => column.notNull())
    .addColumn('mark', 'text', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('outbox')
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('target', text, (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('payload', 'text', (column) => column.notNull())
    .addColumn('created_ms', 'bigint', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    // Null once it is settled, delivered or abandoned.
    .addColumn('next_ms', 'bigint')
    .addColumn('tried_ms', 'bigint')
    .addColumn('delivered_ms', 'bigint')
    .addColumn('error', 'text')
    .addPrimaryKeyConstraint('outbox_key', ['id', 'target'])
    .execute();
  await index(db, 'outbox', 'outbox_by_due', ['next_ms']);
  await index(db, 'outbox', 'outbox_by_target', ['target', 'created_ms']);

  await db.schema.alterTable('record').addColumn('action_id', text).execute();
  await index(db, 'record', 'record_by_action', ['action_id']);
  await db.schema
    .alterTable('record')
    .addColumn('ended_ms', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await fillFromDocuments(db);
  // Holds every column that a count over time reads.
  await index(db, 'record', 'record_by_period', ['cluster', 'started_ms', 'ended_ms', 'outcome']);
  // Few: a period is answered from what began shortly before it, and from these.
  await sql`create index record_lasting on record (ended_ms, started_ms)
    where ended_ms - started_ms > 86400000`.execute(db);
}

const PAGE = 500;

/** Only the document named the action that began a rollout and the time of its end. */
async function fillFromDocuments(db: Kysely<unknown>): Promise<void> {
  for (let after = 0; ;) {
    const { rows } = await sql<{ seq: number; started: number; document: Uint8Array }>`
      select seq, started_ms as started, document from record_document join record using (seq)
      where seq > ${after} order by seq limit ${PAGE}`.execute(db);
    for (const { seq, started, document } of rows) {
      const recorded = JSON.parse(inflateRawSync(document).toString('utf8')) as Recorded;
      const id = typeof recorded.actionId === 'string' ? recorded.actionId : null;
      const ended = endOf(recorded, started);
      await sql`update record set action_id = ${id}, ended_ms = ${ended} where seq = ${seq}`.execute(db);
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.seq;
  }
}

interface Recorded {
  actionId?: unknown;
  outcome: string | null;
  endedAt: string | null;
}

/** The latest possible time while it is open; the start, where the end was not observed. */
function endOf({ outcome, endedAt }: Recorded, startedMs: number): number {
  if (startedMs === 0) return 0;
  if (outcome === null) return 8_640_000_000_000_000;
  return outcome === 'unknown' || endedAt === null ? startedMs : Date.parse(endedAt);
}

async function index(db: Kysely<unknown>, table: string, name: string, columns: string[]): Promise<void> {
  await db.schema.createIndex(name).on(table).columns(columns).execute();
}
