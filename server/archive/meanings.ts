import 'server-only';
import { semanticIdOf } from '@/server/shared/semantic-id';
import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { NORMAL_FORM_VERSION } from '@/lib/diff/normalize';
import { isSameRecordedTemplate, hasCurrentMeaning, versionedMeaning } from '@/lib/records/template-meaning';
import type { RevisionRef } from '@/lib/api/incarnation';
import { bodyOf } from '@/server/archive/revisions';
import {
  compress,
  decompress,
  formatDocument,
  parseDocument,
  toColumn,
} from '@/server/archive/column-values';
import { type RecordDocument, recordDocumentSchema } from '@/server/archive/document-schemas';
import { meaningColumns, flagReturns, type ReturnCandidate } from '@/server/archive/records';
import type { ArchiveDatabase, ArchiveDb } from '@/server/archive/migrations/schema';

/** Records that are backfilled in one transaction: some milliseconds. */
const ROWS_PER_TRANSACTION = 100;

/** Most neighboring records name the same templates. */
const KNOWN_MAX = 10_000;

/** By the hash of the template; null where it has expired. */
type Meanings = LRUCache<string, { meaning: string | null }>;

/**
 * Backfills the meaning of the templates of records from a version with other rules, or with none; templates whose
 * bodies have expired still equal only their own bytes. In slices with a turn of the event loop after each: an
 * interrupted run continues at the next start. `onProgress` is called after each slice, and ends it by throwing.
 * Returns how many records were backfilled.
 */
export async function backfillMeanings(
  database: ArchiveDatabase,
  onProgress?: (told: number, total: number) => void,
): Promise<number> {
  const meanings: Meanings = new LRUCache({ max: KNOWN_MAX });
  const total = await countStaleRecords(database.db);
  for (let told = 0; ;) {
    const rows = await staleRows(database.db);
    if (rows.length === 0) return told;
    for (const { from_hash, to_hash } of rows) {
      for (const hash of from_hash === null ? [to_hash] : [from_hash, to_hash])
        await loadMeaning(database.db, hash, meanings);
    }
    const seqs = rows.map(({ seq }) => seq);
    await database.db.transaction().execute((transaction) => saveMeanings(transaction, seqs, meanings));
    told += rows.length;
    onProgress?.(told, total);
    await setImmediate();
  }
}

async function countStaleRecords(db: ArchiveDb): Promise<number> {
  const { count } = await db
    .selectFrom('record')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('rules', '<', NORMAL_FORM_VERSION)
    .executeTakeFirstOrThrow();
  return Number(count);
}

function staleRows(db: ArchiveDb) {
  return db
    .selectFrom('record')
    .select(['seq', 'from_hash', 'to_hash'])
    .where('rules', '<', NORMAL_FORM_VERSION)
    .orderBy('rules')
    .orderBy('seq')
    .limit(ROWS_PER_TRANSACTION)
    .execute();
}

async function loadMeaning(db: ArchiveDb, hash: string, meanings: Meanings): Promise<void> {
  if (meanings.has(hash)) return;
  meanings.set(hash, { meaning: await meaningOf(db, hash) });
  await setImmediate();
}

/** Null where the template has expired, is masked and so has other values than the cluster had, or is damaged. */
async function meaningOf(db: ArchiveDb, hash: string): Promise<string | null> {
  const row = await db
    .selectFrom('body')
    .select('bytes')
    .where('hash', '=', hash)
    .where('masked', '=', 0)
    .executeTakeFirst();
  if (row === undefined) return null;
  try {
    return versionedMeaning(semanticIdOf(bodyOf(hash, row.bytes)));
  } catch {
    return null;
  }
}

async function saveMeanings(db: ArchiveDb, seqs: readonly number[], meanings: Meanings): Promise<void> {
  // First, so that this waits for a recorder that is rewriting one of them.
  await db.updateTable('record').set({ rules: NORMAL_FORM_VERSION }).where('seq', 'in', seqs).execute();
  const rows = await db
    .selectFrom('record_document')
    .select(['seq', 'document'])
    .where('seq', 'in', seqs)
    .execute();
  const changed: ReturnCandidate[] = [];
  for (const { seq, document } of rows) {
    const known = readDocument(document);
    if (known !== null) changed.push(await saveDocument(db, seq, known, meanings));
  }
  await flagReturns(db, changed);
}

/** Null where another program has written it. */
function readDocument(bytes: Uint8Array): RecordDocument | null {
  try {
    return parseDocument(recordDocumentSchema, decompress(bytes));
  } catch {
    return null;
  }
}

async function saveDocument(
  db: ArchiveDb,
  seq: number,
  document: RecordDocument,
  meanings: Meanings,
): Promise<ReturnCandidate> {
  const told = (ref: RevisionRef): RevisionRef => {
    const meaning = meanings.get(ref.hash)?.meaning ?? null;
    return hasCurrentMeaning(ref) || meaning === null ? ref : { ...ref, meaning };
  };
  const from = document.from && told(document.from);
  const to = told(document.to);
  if (from !== document.from || to !== document.to)
    await db
      .updateTable('record_document')
      .set({ document: compress(formatDocument({ ...document, from, to })) })
      .where('seq', '=', seq)
      .execute();
  const columns = meaningColumns(from, to);
  // What had counted as a return to other bytes may be no change at all.
  const isReturn = from !== null && isSameRecordedTemplate(from, to) ? { is_return: 0 } : {};
  await db
    .updateTable('record')
    .set({ ...columns, ...isReturn })
    .where('seq', '=', seq)
    .execute();
  const { cluster, uid } = document.workload;
  return {
    cluster: toColumn(cluster),
    workload_uid: toColumn(uid),
    to_hash: toColumn(to.hash),
    ...columns,
  };
}
