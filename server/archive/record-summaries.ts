import 'server-only';
import { type RecordSummary } from '@/lib/records/record-summary';
import { type TemplateRef } from '@/lib/records/template-meaning';
import { type RecordTransition, type RecordTrack } from '@/server/archive/archive';
import { parseDocument, chunksOf, toColumn, decompress } from '@/server/archive/column-values';
import { summaryDocumentSchema, reviewSchema, samplesSchema } from '@/server/archive/document-schemas';
import { listedRecordQuery } from '@/server/archive/records';
import { type ArchiveDb } from '@/server/archive/migrations/schema';

/** The latest of one incarnation, in order. */
export async function recordSummariesOf(
  db: ArchiveDb,
  workloadUid: string,
  limit: number,
): Promise<RecordSummary[]> {
  const rows = await listedRecordQuery(db)
    .where('workload_uid', '=', toColumn(workloadUid))
    .orderBy('activation', 'desc')
    .limit(limit)
    .execute();
  return rows.reverse().map((row) => toSummary(row.document, row.reverted_by, row.review));
}

/** Those of these ids. */
export async function recordSummariesById(db: ArchiveDb, ids: readonly string[]): Promise<RecordSummary[]> {
  const summaries: RecordSummary[] = [];
  for (const chunk of chunksOf(ids.map(toColumn))) {
    const rows = await recordDocuments(db).where('record.id', 'in', chunk).execute();
    summaries.push(...rows.map(({ document }) => toSummary(document, null, null)));
  }
  return summaries;
}

/**
 * From which template to which the latest rollouts of an incarnation before an activation led, in order: no document is
 * opened.
 */
export async function transitionsOf(
  db: ArchiveDb,
  workloadUid: string,
  beforeActivation: number,
  limit: number,
): Promise<RecordTransition[]> {
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

function recordDocuments(db: ArchiveDb) {
  return db
    .selectFrom('record')
    .innerJoin('record_document', 'record_document.seq', 'record.seq')
    .select('record_document.document');
}

/** The last one of each incarnation that is not deleted, in pages by the uid of the workload. */
export async function latestRecordSummaries(
  db: ArchiveDb,
  cluster: string,
  afterUid: string,
  limit: number,
): Promise<RecordSummary[]> {
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
  return rows.map(({ document }) => toSummary(document, null, null));
}

/** Those of these ids, and all that began since then. */
export async function changedRecordSummaries(
  db: ArchiveDb,
  cluster: string,
  sinceMs: number,
  ids: readonly string[],
): Promise<RecordSummary[]> {
  const ofCluster = recordDocuments(db).where('record.cluster', '=', toColumn(cluster));
  const rows = await ofCluster.where('record.started_ms', '>=', sinceMs).execute();
  for (const chunk of chunksOf(ids.map(toColumn)))
    rows.push(...(await ofCluster.where('record.id', 'in', chunk).execute()));
  return rows.map(({ document }) => toSummary(document, null, null));
}

/**
 * Pods by revision over the latest rollouts of one incarnation, in order; only those that began since then, if given.
 */
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
    summary: toSummary(document, null, null),
    samples: samples === null ? [] : parseDocument(samplesSchema, decompress(samples)),
  }));
}

/** Needs only the document of the record. */
export function summaryOfDocument(document: Uint8Array): RecordSummary {
  return toSummary(document, null, null);
}

function toSummary(document: Uint8Array, revertedBy: string | null, review: string | null): RecordSummary {
  const { workload, ...summary } = parseDocument(summaryDocumentSchema, decompress(document));
  const verdict = review === null ? null : parseDocument(reviewSchema, review).verdict;
  return { ...summary, uid: workload.uid, revertedBy, verdict };
}
