import 'server-only';
import { type RecordMark } from '@/lib/ledger/mark';
import { type TemplateRef } from '@/lib/ledger/meaning';
import { type RecordPassage, type RecordTrack } from '@/server/archive/archive';
import { parseDocument, partsOf, toColumn, unpack } from '@/server/archive/codec';
import { markDocumentSchema, reviewSchema, samplesSchema } from '@/server/archive/documents';
import { listing } from '@/server/archive/records';
import { type ArchiveDb } from '@/server/archive/schema';

/** The latest so many of one life, in order. */
export async function marksOf(db: ArchiveDb, workloadUid: string, limit: number): Promise<RecordMark[]> {
  const rows = await listing(db)
    .where('workload_uid', '=', toColumn(workloadUid))
    .orderBy('activation', 'desc')
    .limit(limit)
    .execute();
  return rows.reverse().map((row) => toMark(row.document, row.reverted_by, row.review));
}

/** Those of these ids. */
export async function marksById(db: ArchiveDb, ids: readonly string[]): Promise<RecordMark[]> {
  const marks: RecordMark[] = [];
  for (const part of partsOf(ids.map(toColumn))) {
    const rows = await documents(db).where('record.id', 'in', part).execute();
    marks.push(...rows.map(({ document }) => toMark(document, null, null)));
  }
  return marks;
}

/** What the latest so many rollouts of a life before an activation led from and to, in order: no document is opened. */
export async function passagesOf(
  db: ArchiveDb,
  workloadUid: string,
  beforeActivation: number,
  limit: number,
): Promise<RecordPassage[]> {
  const rows = await db
    .selectFrom('record')
    .select(['id', 'from_hash', 'from_meaning', 'to_hash', 'to_meaning'])
    .where('workload_uid', '=', toColumn(workloadUid))
    .where('activation', '<', beforeActivation)
    .orderBy('activation', 'desc')
    .limit(limit)
    .execute();
  return rows.reverse().map((row) => ({
    id: row.id,
    from: row.from_hash === null ? null : templateRef(row.from_hash, row.from_meaning),
    to: templateRef(row.to_hash, row.to_meaning),
  }));
}

function templateRef(hash: string, meaning: string | null): TemplateRef {
  return { hash, ...(meaning !== null && { meaning }) };
}

function documents(db: ArchiveDb) {
  return db
    .selectFrom('record')
    .innerJoin('record_document', 'record_document.seq', 'record.seq')
    .select('record_document.document');
}

/** The last one of each life that is not over, in pages by the uid of the workload. */
export async function latestMarks(
  db: ArchiveDb,
  cluster: string,
  afterUid: string,
  limit: number,
): Promise<RecordMark[]> {
  const rows = await db
    .selectFrom('life')
    .innerJoin('record', 'record.workload_uid', 'life.uid')
    .innerJoin('record_document', 'record_document.seq', 'record.seq')
    .select('record_document.document')
    .where('life.cluster', '=', toColumn(cluster))
    .where('life.deleted_ms', 'is', null)
    .where('life.uid', '>', toColumn(afterUid))
    .where((of) =>
      of(
        'record.activation',
        '=',
        of
          .selectFrom('record as other')
          .whereRef('other.workload_uid', '=', 'life.uid')
          .select(({ fn }) => fn.max('other.activation').as('last')),
      ),
    )
    .orderBy('life.uid')
    .limit(limit)
    .execute();
  return rows.map(({ document }) => toMark(document, null, null));
}

/** Those of these ids, and all begun since then. */
export async function changedMarks(
  db: ArchiveDb,
  cluster: string,
  sinceMs: number,
  ids: readonly string[],
): Promise<RecordMark[]> {
  const ofCluster = documents(db).where('record.cluster', '=', toColumn(cluster));
  const rows = await ofCluster.where('record.started_ms', '>=', sinceMs).execute();
  for (const part of partsOf(ids.map(toColumn)))
    rows.push(...(await ofCluster.where('record.id', 'in', part).execute()));
  return rows.map(({ document }) => toMark(document, null, null));
}

/** Pods by revision over the latest so many rollouts of one life, in order; of those begun since then, if need be. */
export async function tracksOf(
  db: ArchiveDb,
  workloadUid: string,
  limit: number,
  sinceMs: number | null,
): Promise<RecordTrack[]> {
  let query = db
    .selectFrom('record')
    .innerJoin('record_document', 'record_document.seq', 'record.seq')
    .select(['record_document.document', 'record_document.samples'])
    .where('workload_uid', '=', toColumn(workloadUid));
  if (sinceMs !== null) query = query.where('started_ms', '>=', sinceMs);
  const rows = await query.orderBy('activation', 'desc').limit(limit).execute();
  return rows.reverse().map(({ document, samples }) => ({
    mark: toMark(document, null, null),
    samples: samples === null ? [] : parseDocument(samplesSchema, unpack(samples)),
  }));
}

/** Of a record's document alone. */
export function markOfDocument(document: Uint8Array): RecordMark {
  return toMark(document, null, null);
}

function toMark(document: Uint8Array, revertedBy: string | null, review: string | null): RecordMark {
  const { workload, ...mark } = parseDocument(markDocumentSchema, unpack(document));
  const verdict = review === null ? null : parseDocument(reviewSchema, review).verdict;
  return { ...mark, uid: workload.uid, revertedBy, verdict };
}
