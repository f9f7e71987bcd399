import { inflateRawSync } from 'node:zlib';
import { type Kysely, sql } from 'kysely';
import type { Engine } from '@/server/archive/migrations/schema';

/** Few enough documents to hold in memory at a time. */
const PAGE = 500;

/** Columns from which the figures of a period and the list of follow-ups are read, without opening a document. */
export async function addFigures(db: Kysely<unknown>, engine: Engine): Promise<void> {
  for (const flag of ['start_known', 'stuck', 'has_cause']) {
    await db.schema
      .alterTable('record')
      .addColumn(flag, 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  }
  const text = engine === 'postgres' ? sql`text collate "C"` : sql`text`;
  await db.schema.alterTable('review').addColumn('due', text).execute();
  await db.schema.createIndex('review_by_due').on('review').columns(['due', 'seq']).execute();
  await fillRecords(db);
  await fillReviews(db);
}

interface Recorded {
  startedAt: string | null;
  cause: string | null;
  spans: { kind: string }[];
}

async function fillRecords(db: Kysely<unknown>): Promise<void> {
  for (let after = 0; ;) {
    const { rows } = await sql<{ seq: number; document: Uint8Array }>`
      select seq, document from record_document where seq > ${after} order by seq limit ${PAGE}`.execute(db);
    for (const { seq, document } of rows) {
      const recorded = JSON.parse(inflateRawSync(document).toString('utf8')) as Recorded;
      await sql`
        update record set start_known = ${Number(recorded.startedAt !== null)},
          stuck = ${Number(recorded.spans.some(({ kind }) => kind === 'stuck'))},
          has_cause = ${Number(recorded.cause !== null)}
        where seq = ${seq}`.execute(db);
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.seq;
  }
}

async function fillReviews(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ seq: number; document: string }>`select seq, document from review`.execute(db);
  for (const { seq, document } of rows) {
    const { followUp } = JSON.parse(document) as { followUp: { due: string } | null };
    if (followUp !== null) await sql`update review set due = ${followUp.due} where seq = ${seq}`.execute(db);
  }
}
