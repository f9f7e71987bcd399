import 'server-only';
import { isJsonObject, type JsonObject, parseJson, canonicalJson } from '@/lib/kube/json';
import {
  type ArchivedRevision,
  activationSchema,
  incarnationSchema,
  archivedRevisionSchema,
} from '@/lib/api/incarnation';
import { archivedClusterSchema } from '@/lib/api/archived-cluster';
import type { Answer } from '@/lib/api/common';
import type { RolloutRecord, rolloutRecordSchema } from '@/lib/api/record';
import { type Review, commentSchema, reviewSchema } from '@/lib/api/review';
import { parseDocument, decompress } from '@/server/archive/column-values';
import { actionDocumentSchema, recordDocumentSchema, samplesSchema } from '@/server/archive/document-schemas';
import { EXPORT_FORMAT, type ExportLine, formatLine, type MaskedLine } from '@/server/archive/export-line';
import type { ArchiveDatabase, ArchiveTransaction } from '@/server/archive/migrations/schema';
import { pagesOf } from '@/server/archive/pages';
import type { Mask } from '@/server/shared/mask';
import { maskedArchivedAction } from '@/server/shared/masked-action';
import { maskedComment, maskedDetails, maskedRecord, maskedVerdict } from '@/server/shared/masked-record';

/**
 * Writes the archive as it is at one moment to `write`, in chunks of lines, and waits for each. With `mask` given, what
 * looks like a credential in templates and texts is masked. The order is that of the keys of the rows, so that equal
 * archives give equal files, whichever the engine.
 */
export async function exportArchive(
  { db }: ArchiveDatabase,
  mask: Mask | null,
  write: (chunk: string) => Promise<void>,
): Promise<void> {
  await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (snapshot) => {
      let lines = 1;
      await write(formatLine({ type: 'archive', format: EXPORT_FORMAT, masked: mask !== null }));
      for (const pages of [
        clusterPages,
        incarnationPages,
        bodyPages,
        revisionPages,
        activationPages,
        recordPages,
        commentPages,
        actionPages,
      ]) {
        for await (const page of pages(snapshot)) {
          lines += page.length;
          const texts: string[] = [];
          for (const line of page) texts.push(formatLine(mask === null ? line : await masked(line, mask)));
          await write(texts.join(''));
        }
      }
      await write(formatLine({ type: 'end', lines: lines + 1 }));
    });
}

async function masked(line: ExportLine, mask: Mask): Promise<MaskedLine> {
  switch (line.type) {
    case 'body':
      return maskedBody(line, mask);
    case 'record':
      await mask.prepare(line.value.workload.labels);
      return { type: 'record', value: maskedRecordLine(line.value, mask) };
    case 'action':
      return { type: 'action', value: maskedArchivedAction(line.value, mask) };
    case 'revision':
      return { ...line, value: maskedRevision(line.value, mask) };
    case 'incarnation':
      await mask.prepare(line.value.labels);
      return { type: 'incarnation', value: { ...line.value, labels: mask.annotations(line.value.labels) } };
    case 'review':
      return { ...line, value: maskedReview(line.value, mask) };
    case 'comment':
      return { type: 'comment', value: maskedComment(line.value, mask) };
    default:
      return line;
  }
}

function maskedReview(review: Review, mask: Mask) {
  const history = review.history.map((before) => maskedVerdict(before, mask));
  return { ...maskedVerdict(review, mask), history };
}

async function maskedBody(line: ExportLine & { type: 'body' }, mask: Mask): Promise<MaskedLine> {
  const body = await mask.template(line.body);
  return { ...line, body, masked: line.masked || canonicalJson(body) !== canonicalJson(line.body) };
}

function maskedRevision(revision: ArchivedRevision, mask: Mask) {
  const { changeCause, images } = revision;
  return { ...revision, changeCause: mask.text(changeCause), images: mask.images(images) };
}

function maskedRecordLine(record: RolloutRecord, mask: Mask): Answer<typeof rolloutRecordSchema> {
  const { labels, events } = maskedDetails(record, mask);
  return { ...maskedRecord(record, mask), workload: { ...record.workload, labels }, events };
}

type Pages = AsyncGenerator<ExportLine[]>;

async function* clusterPages(db: ArchiveTransaction): Pages {
  for await (const rows of pagesOf(db.selectFrom('cluster').select(['id', 'document']), 'id'))
    yield rows.map(({ document }) => ({
      type: 'cluster',
      value: parseDocument(archivedClusterSchema, document),
    }));
}

async function* incarnationPages(db: ArchiveTransaction): Pages {
  for await (const rows of pagesOf(
    db.selectFrom('incarnation').select(['cluster', 'uid', 'document']),
    'cluster',
    'uid',
  ))
    yield rows.map(({ document }) => ({
      type: 'incarnation',
      value: parseDocument(incarnationSchema, document),
    }));
}

async function* bodyPages(db: ArchiveTransaction): Pages {
  for await (const rows of pagesOf(db.selectFrom('body').selectAll(), 'hash'))
    yield rows.map(({ hash, bytes, masked }) => ({
      type: 'body',
      hash,
      masked: masked === 1,
      body: bodyOf(bytes),
    }));
}

function bodyOf(bytes: Uint8Array): JsonObject {
  const body = parseJson(decompress(bytes));
  return isJsonObject(body) ? body : {};
}

async function* revisionPages(db: ArchiveTransaction): Pages {
  const query = db.selectFrom('revision').select(['cluster', 'workload_uid', 'id', 'document']);
  for await (const rows of pagesOf(query, 'cluster', 'workload_uid', 'id'))
    yield rows.map(({ cluster, document }) => ({
      type: 'revision',
      cluster,
      value: parseDocument(archivedRevisionSchema, document),
    }));
}

async function* activationPages(db: ArchiveTransaction): Pages {
  const query = db.selectFrom('activation').selectAll();
  for await (const rows of pagesOf(query, 'cluster', 'workload_uid', 'number'))
    yield rows.map(({ cluster, document }) => ({
      type: 'activation',
      cluster,
      value: parseDocument(activationSchema, document),
    }));
}

/** Each with its review. */
async function* recordPages(db: ArchiveTransaction): Pages {
  const query = db
    .selectFrom('record')
    .innerJoin('record_document', 'record_document.seq', 'record.seq')
    .leftJoin('review', 'review.seq', 'record.seq')
    .select(['record.id', 'record.pinned', 'record_document.document', 'record_document.samples'])
    .select('review.document as review');
  for await (const rows of pagesOf(query, 'id'))
    yield rows.flatMap((row): ExportLine[] => {
      const samples = row.samples === null ? [] : parseDocument(samplesSchema, decompress(row.samples));
      const document = parseDocument(recordDocumentSchema, decompress(row.document));
      const record: ExportLine = {
        type: 'record',
        value: { ...document, samples, pinned: row.pinned === 1 },
      };
      if (row.review === null) return [record];
      const value = parseDocument(reviewSchema, row.review);
      return [record, { type: 'review', recordId: document.id, value }];
    });
}

async function* commentPages(db: ArchiveTransaction): Pages {
  for await (const rows of pagesOf(db.selectFrom('comment').select(['id', 'document']), 'id'))
    yield rows.map(({ document }) => ({ type: 'comment', value: parseDocument(commentSchema, document) }));
}

async function* actionPages(db: ArchiveTransaction): Pages {
  for await (const rows of pagesOf(db.selectFrom('action').select(['id', 'document']), 'id'))
    yield rows.map(({ document }) => ({
      type: 'action',
      value: parseDocument(actionDocumentSchema, document),
    }));
}
