import 'server-only';
import { isJsonObject, type JsonObject, parseJson, canonicalJson } from '@/lib/kube/json';
import { type ArchivedRevision, type RolloutRecord, type WorkloadIncarnation } from '@/lib/records/record';
import { type ReviewComment, type Review, type Verdict } from '@/lib/records/review';
import { type ArchivedAction } from '@/server/archive/archive';
import { parseDocument, decompress } from '@/server/archive/column-values';
import {
  activationSchema,
  archivedActionSchema,
  commentSchema,
  incarnationSchema,
  recordDocumentSchema,
  reviewSchema,
  revisionSchema,
  samplesSchema,
} from '@/server/archive/document-schemas';
import { EXPORT_FORMAT, type ExportLine, formatLine } from '@/server/archive/export-line';
import { type ArchiveDatabase, type ArchiveTransaction } from '@/server/archive/migrations/schema';
import { type Keys } from '@/server/shared/keys';
import { inSlices } from '@/server/shared/in-slices';
import { maskAnnotations, maskInPieces, maskText } from '@/server/shared/mask';

const PAGE_ROWS = 500;

type MaskingKeys = Pick<Keys, 'marker'>;

/**
 * Writes the archive as it is at one moment to `write`, in chunks of lines, and waits for each. With `keys` given, what
 * looks like a credential in templates and texts is masked. The order is that of the keys of the rows, so that equal
 * archives give equal files, whichever the engine.
 */
export async function exportArchive(
  { db }: ArchiveDatabase,
  keys: MaskingKeys | null,
  write: (chunk: string) => Promise<void>,
): Promise<void> {
  await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (snapshot) => {
      let lines = 1;
      await write(formatLine({ type: 'archive', format: EXPORT_FORMAT, masked: keys !== null }));
      for (const pages of [
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
          for (const line of page) texts.push(formatLine(keys === null ? line : await masked(line, keys)));
          await write(texts.join(''));
        }
      }
      await write(formatLine({ type: 'end', lines: lines + 1 }));
    });
}

async function masked(line: ExportLine, keys: MaskingKeys): Promise<ExportLine> {
  if (line.type === 'body') return maskedBody(line, keys);
  if (line.type === 'record') return { type: 'record', value: maskedRecord(line.value, keys) };
  if (line.type === 'action') return { type: 'action', value: maskedAction(line.value, keys) };
  if (line.type === 'revision') return { type: 'revision', value: maskedRevision(line.value, keys) };
  if (line.type === 'life') return { type: 'life', value: withMaskedLabels(line.value, keys) };
  if (line.type === 'review') return { ...line, value: maskedReview(line.value, keys) };
  if (line.type === 'comment') return { type: 'comment', value: maskedComment(line.value, keys) };
  return line;
}

function withMaskedLabels<Named extends Pick<WorkloadIncarnation, 'labels'>>(
  named: Named,
  keys: MaskingKeys,
): Named {
  return { ...named, labels: maskAnnotations(named.labels, keys) };
}

function maskedComment(comment: ReviewComment, keys: MaskingKeys): ReviewComment {
  return {
    ...comment,
    body: maskText(comment.body, keys),
    edits: comment.edits.map((edit) => ({ ...edit, body: maskText(edit.body, keys) })),
  };
}

function maskedReview(review: Review, keys: MaskingKeys): Review {
  const history = review.history.map((before) => maskedVerdict(before, keys));
  return { ...maskedVerdict(review, keys), history };
}

function maskedVerdict<Given extends Verdict>(verdict: Given, keys: MaskingKeys): Given {
  const { followUp } = verdict;
  const masked = followUp === null ? null : { ...followUp, person: maskText(followUp.person, keys) };
  return { ...verdict, followUp: masked };
}

async function maskedBody(line: ExportLine & { type: 'body' }, keys: MaskingKeys): Promise<ExportLine> {
  const body = await inSlices(maskInPieces(line.body, keys));
  return { ...line, body, masked: line.masked || canonicalJson(body) !== canonicalJson(line.body) };
}

function maskedRevision(revision: ArchivedRevision, keys: MaskingKeys): ArchivedRevision {
  const { changeCause } = revision;
  return { ...revision, changeCause: changeCause === null ? null : maskText(changeCause, keys) };
}

function maskedRecord(record: RolloutRecord, keys: MaskingKeys): RolloutRecord {
  const { actor, cause, summary, events, spans } = record;
  return {
    ...record,
    workload: withMaskedLabels(record.workload, keys),
    actor: actor === null ? null : { ...actor, name: maskText(actor.name, keys) },
    cause: cause === null ? null : maskText(cause, keys),
    summary: maskText(summary, keys),
    events: events.map((event) => ({ ...event, message: maskText(event.message, keys) })),
    spans: spans.map((span) => ({ ...span, reason: maskText(span.reason, keys) })),
  };
}

function maskedAction(archived: ArchivedAction, keys: MaskingKeys): ArchivedAction {
  const { action, apiMessage, findings } = archived;
  return {
    ...archived,
    action: {
      ...action,
      reason: maskText(action.reason, keys),
      message: maskText(action.message, keys),
    },
    apiMessage: apiMessage === null ? null : maskText(apiMessage, keys),
    findings: findings.map(({ code, message }) => ({ code, message: maskText(message, keys) })),
  };
}

type Pages = AsyncGenerator<ExportLine[]>;

async function* incarnationPages(db: ArchiveTransaction): Pages {
  for (let after = ''; ;) {
    const rows = await db
      .selectFrom('life')
      .select(['uid', 'document'])
      .where('uid', '>', after)
      .orderBy('uid')
      .limit(PAGE_ROWS)
      .execute();
    yield rows.map(({ document }) => ({ type: 'life', value: parseDocument(incarnationSchema, document) }));
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.uid;
  }
}

async function* bodyPages(db: ArchiveTransaction): Pages {
  for (let after = ''; ;) {
    const rows = await db
      .selectFrom('body')
      .selectAll()
      .where('hash', '>', after)
      .orderBy('hash')
      .limit(PAGE_ROWS)
      .execute();
    yield rows.map(({ hash, bytes, masked }) => ({
      type: 'body',
      hash,
      masked: masked === 1,
      body: bodyOf(bytes),
    }));
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.hash;
  }
}

function bodyOf(bytes: Uint8Array): JsonObject {
  const body = parseJson(decompress(bytes));
  return isJsonObject(body) ? body : {};
}

async function* revisionPages(db: ArchiveTransaction): Pages {
  for (let [uid, id] = ['', '']; ;) {
    const rows = await db
      .selectFrom('revision')
      .select(['workload_uid', 'id', 'document'])
      .where((of) => of(of.refTuple('workload_uid', 'id'), '>', of.tuple(uid, id)))
      .orderBy('workload_uid')
      .orderBy('id')
      .limit(PAGE_ROWS)
      .execute();
    yield rows.map(({ document }) => ({ type: 'revision', value: parseDocument(revisionSchema, document) }));
    const last = rows.at(-1);
    if (last === undefined) return;
    [uid, id] = [last.workload_uid, last.id];
  }
}

async function* activationPages(db: ArchiveTransaction): Pages {
  let [uid, number] = ['', 0];
  for (;;) {
    const rows = await db
      .selectFrom('activation')
      .selectAll()
      .where((of) => of(of.refTuple('workload_uid', 'number'), '>', of.tuple(uid, number)))
      .orderBy('workload_uid')
      .orderBy('number')
      .limit(PAGE_ROWS)
      .execute();
    yield rows.map(({ document }) => ({
      type: 'activation',
      value: parseDocument(activationSchema, document),
    }));
    const last = rows.at(-1);
    if (last === undefined) return;
    [uid, number] = [last.workload_uid, last.number];
  }
}

/** Each with its review. */
async function* recordPages(db: ArchiveTransaction): Pages {
  for (let after = ''; ;) {
    const rows = await db
      .selectFrom('record')
      .innerJoin('record_document', 'record_document.seq', 'record.seq')
      .leftJoin('review', 'review.seq', 'record.seq')
      .select(['record.id', 'record.pinned', 'record_document.document', 'record_document.samples'])
      .select('review.document as review')
      .where('record.id', '>', after)
      .orderBy('record.id')
      .limit(PAGE_ROWS)
      .execute();
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
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

async function* commentPages(db: ArchiveTransaction): Pages {
  for (let after = ''; ;) {
    const rows = await db
      .selectFrom('comment')
      .select(['id', 'document'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(PAGE_ROWS)
      .execute();
    yield rows.map(({ document }) => ({ type: 'comment', value: parseDocument(commentSchema, document) }));
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

async function* actionPages(db: ArchiveTransaction): Pages {
  for (let after = ''; ;) {
    const rows = await db
      .selectFrom('action')
      .select(['id', 'document'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(PAGE_ROWS)
      .execute();
    yield rows.map(({ document }) => ({
      type: 'action',
      value: parseDocument(archivedActionSchema, document),
    }));
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}
