import 'server-only';
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { AppError } from '@/lib/errors';
import { NORMAL_FORM_VERSION } from '@/lib/diff/normalise';
import { isTold, type TemplateRef } from '@/lib/ledger/meaning';
import { type RolloutRecord } from '@/lib/ledger/record';
import { type ListedRecord } from '@/server/archive/archive';
import { pack, parseDocument, partsOf, toColumn, toMs, unpack } from '@/server/archive/codec';
import {
  type RecordDocument,
  recordDocumentSchema,
  reviewSchema,
  samplesSchema,
} from '@/server/archive/documents';
import { isChanged, nearestTo } from '@/server/archive/same-template';
import { type ArchiveDb } from '@/server/archive/schema';
import { termsOf } from '@/server/archive/terms';

/** Stands in the column for the outcome of a rollout that goes on. */
export const OPEN = 'open';

/** Stands for the end of a rollout that goes on: the last moment that a date can say. */
export const OPEN_END_MS = 8_640_000_000_000_000;

/** Writes a record anew, but for what people have done to it: its pin, review and comments. */
export async function saveRecord(db: ArchiveDb, record: RolloutRecord): Promise<void> {
  await saveRecords(db, [record]);
}

/** The same of several, in few statements: to a server each of them is a way there and back. */
export async function saveRecords(db: ArchiveDb, records: readonly RolloutRecord[]): Promise<void> {
  // One statement may touch a row only once.
  const byId = new Map(records.map((record) => [toColumn(record.id), record]));
  for (const part of partsOf([...byId.values()].map(writtenOf))) await savePart(db, part);
}

/** Of so few records that their columns fit into the parameters of one statement. */
async function savePart(db: ArchiveDb, part: readonly Written[]): Promise<void> {
  const known = await knownOf(db, part);
  const added = part.filter(({ row }) => !known.has(row.id));
  const seqs = await insertRecords(db, added);
  await markReturns(
    db,
    added.map(({ row }) => row),
  );
  for (const { row } of part) {
    const seq = known.get(row.id)?.seq;
    if (seq === undefined) continue;
    await db.updateTable('record').set(row).where('seq', '=', seq).execute();
    seqs.set(row.id, seq);
  }
  const placed = part.flatMap((one) => {
    const seq = seqs.get(one.row.id);
    return seq === undefined ? [] : [{ ...one, seq }];
  });
  await saveDocuments(db, placed);
  const changed = placed.filter(({ row }) => known.get(row.id)?.terms_digest !== row.terms_digest);
  const old = changed.filter(({ row }) => known.has(row.id)).map(({ seq }) => seq);
  if (old.length > 0) await db.deleteFrom('record_term').where('seq', 'in', old).execute();
  for (const terms of partsOf(changed.flatMap(({ seq, terms }) => terms.map((term) => ({ term, seq })))))
    await db.insertInto('record_term').values(terms).execute();
}

/** A record as its rows. */
interface Written {
  row: ReturnType<typeof rowOfRecord>;
  document: RecordDocument;
  samples: RolloutRecord['samples'];
  pinned: boolean;
  terms: string[];
}

function writtenOf({ samples, pinned, ...document }: RolloutRecord): Written {
  const terms = termsOf(document);
  return { row: rowOfRecord(document, digestOf(terms)), document, samples, pinned, terms };
}

async function knownOf(db: ArchiveDb, part: readonly Written[]) {
  const rows = await db
    .selectFrom('record')
    .select(['id', 'seq', 'terms_digest'])
    .where(
      'id',
      'in',
      part.map(({ row }) => row.id),
    )
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

async function insertRecords(db: ArchiveDb, added: readonly Written[]): Promise<Map<string, number>> {
  if (added.length === 0) return new Map();
  const rows = await db
    .insertInto('record')
    .values(added.map(({ row, pinned }) => ({ ...row, pinned: Number(pinned), reviewed: 0 })))
    .returning(['id', 'seq'])
    .execute();
  return new Map(rows.map(({ id, seq }) => [id, seq]));
}

export type Returnable = Pick<ReturnType<typeof rowOfRecord>, 'workload_uid' | 'to_hash' | 'to_meaning'>;

/**
 * Of the workloads and templates of new records: which rollouts returned to a template that had been the target before.
 * An import brings records in any order, so one that was there already may turn out to be a return.
 */
export async function markReturns(db: ArchiveDb, added: readonly Returnable[]): Promise<void> {
  // One after the other, so that each finds its rows by an index.
  for (const column of ['to_hash', 'to_meaning'] as const) {
    const targets = added.flatMap((row) =>
      row[column] === null ? [] : [sql`(${row.workload_uid}, ${row[column]})`],
    );
    if (targets.length === 0) continue;
    await sql`
      update record set is_return = 1
      where (workload_uid, ${sql.ref(column)}) in (values ${sql.join(targets)})
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
    ended_ms: endOf(record, startedMs),
    outcome: outcome ?? OPEN,
    actor: actor === null ? null : toColumn(actor.name),
    from_hash: from === null ? null : toColumn(from.hash),
    to_hash: toColumn(to.hash),
    ...columnsOfMeaning(from, to),
    rules: (from === null || isTold(from)) && isTold(to) ? NORMAL_FORM_VERSION : 0,
    terms_digest: digest,
    start_known: Number(record.startedAt !== null),
    stuck: Number(record.spans.some(({ kind }) => kind === 'stuck')),
    has_cause: Number(record.cause !== null),
    action_id: record.actionId === null ? null : toColumn(record.actionId),
  };
}

export function columnsOfMeaning(from: TemplateRef | null, to: TemplateRef) {
  const column = (ref: TemplateRef | null) => (ref?.meaning === undefined ? null : toColumn(ref.meaning));
  return { from_meaning: column(from), to_meaning: column(to) };
}

/** Where nobody saw how it went, its end is only when the next one began: it stands for its start alone. */
function endOf({ outcome, endedAt }: RecordDocument, startedMs: number): number {
  if (startedMs === 0) return 0;
  if (outcome === null) return OPEN_END_MS;
  return outcome === 'unknown' ? startedMs : (toMs(endedAt) ?? startedMs);
}

async function saveDocuments(db: ArchiveDb, placed: readonly (Written & { seq: number })[]): Promise<void> {
  await db
    .insertInto('record_document')
    .values(
      placed.map(({ seq, document, samples }) => ({
        seq,
        document: pack(JSON.stringify(document)),
        samples: samples.length === 0 ? null : pack(JSON.stringify(samples)),
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

/** With samples where they have not expired. */
export async function recordById(db: ArchiveDb, id: string): Promise<ListedRecord | null> {
  const row = await listing(db).select('samples').where('record.id', '=', toColumn(id)).executeTakeFirst();
  return row === undefined ? null : toListed(row);
}

/** Those of one life, in order, with samples. */
export async function recordsOf(db: ArchiveDb, workloadUid: string): Promise<ListedRecord[]> {
  const rows = await listing(db)
    .select('samples')
    .where('workload_uid', '=', toColumn(workloadUid))
    .orderBy('activation')
    .orderBy('record.id')
    .execute();
  return rows.map(toListed);
}

/** Those that have no outcome yet, with samples. */
export async function openRecordsOf(db: ArchiveDb, cluster: string): Promise<RolloutRecord[]> {
  const rows = await listing(db)
    .select('samples')
    .where('outcome', '=', OPEN)
    .where('cluster', '=', toColumn(cluster))
    .orderBy('record.id')
    .execute();
  return rows.map((row) => toListed(row).record);
}

/** Throws AppError `not_found` for an unknown record. */
export async function pinRecord(db: ArchiveDb, id: string, pinned: boolean): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('record')
    .set({ pinned: Number(pinned) })
    .where('id', '=', toColumn(id))
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw unknownRecord(id);
}

export function unknownRecord(id: string): AppError {
  return new AppError('not_found', 'There is no record with this id in the archive.', { id });
}

/** What a listed record is made of; `samples` is for the caller to select, since lists do without. */
export function listing(db: ArchiveDb) {
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
      // The first rollout after it that led back to where it had come from.
      of
        .selectFrom('record as later')
        .whereRef('later.workload_uid', '=', 'record.workload_uid')
        .where('later.activation', '=', nearestTo('from', 'after'))
        .where(isChanged)
        .select('later.id')
        .limit(1)
        .as('reverted_by'),
    ]);
}

export interface ListedRow {
  pinned: number;
  document: Uint8Array;
  samples?: Uint8Array | null;
  review: string | null;
  comments: number | null;
  reverted_by: string | null;
}

export function toListed(row: ListedRow): ListedRecord {
  const document = parseDocument(recordDocumentSchema, unpack(row.document));
  const samples = row.samples == null ? [] : parseDocument(samplesSchema, unpack(row.samples));
  return {
    record: { ...document, samples, pinned: row.pinned === 1 },
    revertedBy: row.reverted_by,
    review: row.review === null ? null : parseDocument(reviewSchema, row.review),
    comments: row.comments ?? 0,
  };
}
