import 'server-only';
import { createHash } from 'node:crypto';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { AppError } from '@/lib/errors';
import { NORMAL_FORM_VERSION } from '@/lib/diff/normalize';
import { type Review, reviewSchema } from '@/lib/api/review';
import type { RolloutRecord } from '@/lib/api/record';
import { hasCurrentMeaning, type TemplateRef } from '@/lib/records/template-meaning';
import {
  chunksOf,
  compress,
  decompress,
  formatDocument,
  parseDocument,
  toColumn,
  toMs,
} from '@/server/archive/column-values';
import { type RecordDocument, recordDocumentSchema, samplesSchema } from '@/server/archive/document-schemas';
import type { ArchiveDb } from '@/server/archive/migrations/schema';
import { MENTION_TERMS, termsOf } from '@/server/archive/search-terms';

/* The rows of a record: how it is written, and how it is read together with its review. */

export interface ListedRecord {
  record: RolloutRecord;
  /** Id of the record that reverted it; computed on reading. */
  revertedBy: string | null;
  review: Review | null;
  comments: number;
}

/** The column's value for the outcome of an open rollout. */
export const OPEN = 'open';

/** The column's value for the end of an open rollout: the latest time that a date can hold. */
const OPEN_END_MS = 8_640_000_000_000_000;

/**
 * Rewrites records, except their pins, reviews and comments, which belong to people. In few statements: each is a round
 * trip to the server.
 */
export async function saveRecords(db: ArchiveDb, records: readonly RolloutRecord[]): Promise<void> {
  // One statement may touch a row only once.
  const byId = new Map(records.map((record) => [toColumn(record.id), record]));
  for (const chunk of chunksOf([...byId.values()].map(rowsOfRecord))) await saveChunk(db, chunk);
}

/** So few records that their columns fit into the parameters of one statement. */
async function saveChunk(db: ArchiveDb, chunk: readonly RecordRows[]): Promise<void> {
  const known = await findKnown(db, chunk);
  const added = chunk.filter(({ row }) => !known.has(row.id));
  const seqs = await insertRecords(db, added);
  await flagReturns(
    db,
    added.map(({ row }) => row),
  );
  for (const { row } of chunk) {
    const seq = known.get(row.id)?.seq;
    if (seq === undefined) continue;
    await db.updateTable('record').set(row).where('seq', '=', seq).execute();
    seqs.set(row.id, seq);
  }
  const withSeq = chunk.flatMap((one) => {
    const seq = seqs.get(one.row.id);
    return seq === undefined ? [] : [{ ...one, seq }];
  });
  await saveDocuments(db, withSeq);
  const changed = withSeq.filter(({ row }) => known.get(row.id)?.terms_digest !== row.terms_digest);
  const replaced = changed.filter(({ row }) => known.has(row.id)).map(({ seq }) => seq);
  if (replaced.length > 0)
    await db
      .deleteFrom('record_term')
      .where('seq', 'in', replaced)
      .where('term', 'not like', MENTION_TERMS)
      .execute();
  for (const terms of chunksOf(changed.flatMap(({ seq, terms }) => terms.map((term) => ({ term, seq })))))
    await db.insertInto('record_term').values(terms).execute();
}

/** A record as its rows. */
interface RecordRows {
  row: ReturnType<typeof rowOfRecord>;
  document: RecordDocument;
  samples: RolloutRecord['samples'];
  pinned: boolean;
  terms: string[];
}

function rowsOfRecord({ samples, pinned, ...document }: RolloutRecord): RecordRows {
  const terms = termsOf(document);
  return { row: rowOfRecord(document, digestOf(terms)), document, samples, pinned, terms };
}

async function findKnown(db: ArchiveDb, chunk: readonly RecordRows[]) {
  const rows = await db
    .selectFrom('record')
    .select(['id', 'seq', 'terms_digest'])
    .where(
      'id',
      'in',
      chunk.map(({ row }) => row.id),
    )
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

async function insertRecords(db: ArchiveDb, added: readonly RecordRows[]): Promise<Map<string, number>> {
  if (added.length === 0) return new Map();
  const rows = await db
    .insertInto('record')
    .values(added.map(({ row, pinned }) => ({ ...row, pinned: Number(pinned), reviewed: 0 })))
    .returning(['id', 'seq'])
    .execute();
  return new Map(rows.map(({ id, seq }) => [id, seq]));
}

export type ReturnCandidate = Pick<
  ReturnType<typeof rowOfRecord>,
  'cluster' | 'workload_uid' | 'to_hash' | 'to_meaning'
>;

/**
 * For the workloads and templates of new records: which rollouts returned to a template that had been the target
 * before. An import adds records in any order, so that one that was stored already may turn out to be a return.
 */
export async function flagReturns(db: ArchiveDb, added: readonly ReturnCandidate[]): Promise<void> {
  // One after the other, so that each finds its rows by an index.
  for (const column of ['to_hash', 'to_meaning'] as const) {
    const targets = added.flatMap((row) =>
      row[column] === null ? [] : [sql`(${row.cluster}, ${row.workload_uid}, ${row[column]})`],
    );
    if (targets.length === 0) continue;
    await sql`
      update record set is_return = 1
      where (cluster, workload_uid, ${sql.ref(column)}) in (values ${sql.join(targets)})
        and is_return = 0 and ${isChanged} and ${nearestTo('to', 'before')} is not null`.execute(db);
  }
}

function rowOfRecord(record: RecordDocument, digest: string) {
  const { workload, from, to, outcome, actor } = record;
  const startedMs = toMs(record.startedAt ?? record.startedNotAfter) ?? 0;
  return {
    id: toColumn(record.id),
    cluster: toColumn(workload.cluster),
    resource: toColumn(workload.resource),
    namespace: toColumn(workload.namespace),
    name: toColumn(workload.name),
    workload_uid: toColumn(workload.uid),
    activation: record.activation,
    started_ms: startedMs,
    ended_ms: endMsOf(record, startedMs),
    outcome: outcome ?? OPEN,
    actor: actor === null ? null : toColumn(actor.name),
    from_hash: from === null ? null : toColumn(from.hash),
    to_hash: toColumn(to.hash),
    ...meaningColumns(from, to),
    rules: (from === null || hasCurrentMeaning(from)) && hasCurrentMeaning(to) ? NORMAL_FORM_VERSION : 0,
    terms_digest: digest,
    start_known: Number(record.startedAt !== null),
    stuck: Number(record.spans.some(({ kind }) => kind === 'stuck')),
    has_cause: Number(record.cause !== null),
    action_id: record.actionId === null ? null : toColumn(record.actionId),
  };
}

export function meaningColumns(from: TemplateRef | null, to: TemplateRef) {
  const column = (ref: TemplateRef | null) => (ref?.meaning === undefined ? null : toColumn(ref.meaning));
  return { from_meaning: column(from), to_meaning: column(to) };
}

/** Where the course was not observed, its end is only when the next one began: only its start counts. */
function endMsOf({ outcome, endedAt }: RecordDocument, startedMs: number): number {
  if (startedMs === 0) return 0;
  if (outcome === null) return OPEN_END_MS;
  return outcome === 'unknown' ? startedMs : (toMs(endedAt) ?? startedMs);
}

async function saveDocuments(
  db: ArchiveDb,
  withSeq: readonly (RecordRows & { seq: number })[],
): Promise<void> {
  await db
    .insertInto('record_document')
    .values(
      withSeq.map(({ seq, document, samples }) => ({
        seq,
        document: compress(formatDocument(document)),
        samples: samples.length === 0 ? null : compress(JSON.stringify(samples)),
      })),
    )
    .onConflict((conflict) =>
      conflict.column('seq').doUpdateSet((of) => ({
        document: of.ref('excluded.document'),
        samples: of.ref('excluded.samples'),
      })),
    )
    .execute();
}

export function digestOf(terms: readonly string[]): string {
  return createHash('sha256').update(terms.join('\n')).digest('base64url').slice(0, 22);
}

export function unknownRecord(id: string): AppError {
  return new AppError('not_found', 'There is no record with this id in the archive.', { id });
}

/** The columns of a listed record; the caller selects `samples`, since lists do without. */
export function listedRecordQuery(db: ArchiveDb) {
  return db
    .selectFrom('record')
    .innerJoin('record_document', 'record_document.seq', 'record.seq')
    .leftJoin('review', 'review.seq', 'record.seq')
    .select(['record.id', 'record.started_ms', 'record.pinned', 'record_document.document'])
    .select('review.document as review')
    .select((of) => [
      of
        .selectFrom('comment')
        .whereRef('comment.seq', '=', 'record.seq')
        .select(({ fn }) => fn.countAll<number>().as('comments'))
        .as('comments'),
      // The first later rollout that led back to the template it had replaced.
      of
        .selectFrom('record as later')
        .whereRef('later.cluster', '=', 'record.cluster')
        .whereRef('later.workload_uid', '=', 'record.workload_uid')
        .where('later.activation', '=', nearestTo('from', 'after'))
        .where(isChanged)
        .select('later.id')
        .limit(1)
        .as('reverted_by'),
    ]);
}

interface ListedRow {
  pinned: number;
  document: Uint8Array;
  samples?: Uint8Array | null;
  review: string | null;
  comments: number | null;
  reverted_by: string | null;
}

export function toListedRecord(row: ListedRow): ListedRecord {
  const document = parseDocument(recordDocumentSchema, decompress(row.document));
  const samples = row.samples == null ? [] : parseDocument(samplesSchema, decompress(row.samples));
  return {
    record: { ...document, samples, pinned: row.pinned === 1 },
    revertedBy: row.reverted_by,
    review: row.review === null ? null : parseDocument(reviewSchema, row.review),
    comments: row.comments ?? 0,
  };
}

/*
 * `isSameRecordedTemplate` in SQL: two templates are the same where their bytes or their meanings are. In a statement
 * on `record`.
 */

/** Whether the rollout led to another template than the one it replaced; false where that one is unknown. */
export const isChanged = sql<SqlBool>`(record.from_hash <> record.to_hash
  and coalesce(record.from_meaning <> record.to_meaning, 1 = 1))`;

/**
 * The activation of the same incarnation that led to a template of the record: the first one after it, or the last one
 * before. Null where there is none. Searches bytes and meaning apart, since each has an index and both together have
 * none.
 */
export function nearestTo(
  side: 'from' | 'to',
  direction: 'before' | 'after',
  /** Columns of the activation found, which is called `near`. */
  condition: RawBuilder<unknown> = sql`1 = 1`,
): RawBuilder<number> {
  const nearest = sql.raw(direction === 'before' ? 'max' : 'min');
  const order = sql.raw(direction === 'before' ? '<' : '>');
  const branch = (by: 'hash' | 'meaning') => sql`
    select ${nearest}(near.activation) as activation from record as near
    where near.cluster = record.cluster and near.workload_uid = record.workload_uid
      and near.${sql.ref(`to_${by}`)} = record.${sql.ref(`${side}_${by}`)}
      and near.activation ${order} record.activation and ${condition}`;
  return sql<number>`(select ${nearest}(activation) from (${branch('hash')} union all ${branch('meaning')}) as nearest)`;
}
