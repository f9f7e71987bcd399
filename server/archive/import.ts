import 'server-only';
import { AppError } from '@/lib/errors';
import { canonicalJson } from '@/lib/kube/json';
import { rowOfAction } from '@/server/archive/actions';
import { rowOfCluster } from '@/server/archive/clusters';
import { compress, toColumn } from '@/server/archive/column-values';
import type { ArchivedAction } from '@/lib/api/action';
import {
  badLine,
  EXPORT_FORMAT,
  type ExportLine,
  newerShiplog,
  parseLine,
} from '@/server/archive/export-line';
import { rowOfActivation, rowOfIncarnation } from '@/server/archive/workloads';
import { saveRecords } from '@/server/archive/records';
import { addMentions, rowOfComment, writeReview } from '@/server/archive/reviews';
import { hashOfText, rowOfRevision } from '@/server/archive/revisions';
import type { ArchiveDatabase, ArchiveTransaction } from '@/server/archive/migrations/schema';

export interface ImportResult {
  /** What was already archived under the same key, and is unchanged. */
  known: number;
  added: number;
}

/**
 * Adds what the lines of an export hold and the archive does not: all of it or, when a line can't be read or the end is
 * missing, nothing. Throws AppError `bad_request`, which names the line.
 */
export async function importArchive(
  { db }: ArchiveDatabase,
  lines: AsyncIterable<string>,
): Promise<ImportResult> {
  return db.transaction().execute(async (transaction) => {
    const imported: ImportResult = { known: 0, added: 0 };
    const clusters = new Map<string, string>();
    let number = 0;
    let isComplete = false;
    for await (const text of lines) {
      number += 1;
      if (isComplete) throw badLine(number, 'it stands after the end');
      const line = withCluster(parseLine(text, number), clusters, number);
      if (number === 1) requireHeader(line);
      else if (line.type === 'end') isComplete = requireEnd(line.lines, number);
      else if (await addLine(transaction, line, number)) imported.added += 1;
      else imported.known += 1;
    }
    if (isComplete) return imported;
    throw new AppError('bad_request', 'The file has no end: a part is missing. Nothing has been imported.', {
      lines: number,
    });
  });
}

function requireHeader(line: ExportLine): void {
  if (line.type !== 'archive') throw badLine(1, 'it is not the first line of an export');
  if (line.format > EXPORT_FORMAT) throw badLine(1, newerShiplog(`form ${line.format}`));
}

function requireEnd(lines: number, number: number): true {
  if (lines !== number) throw badLine(number, `the file had ${lines} lines when it was written`);
  return true;
}

/** Files of formats 1 and 2 were of one cluster, which only the line of the incarnation names; kept in `clusters`. */
function withCluster(line: ExportLine, clusters: Map<string, string>, number: number): ExportLine {
  if (line.type === 'incarnation') clusters.set(line.value.uid, line.value.cluster);
  if ((line.type !== 'revision' && line.type !== 'activation') || line.cluster !== '') return line;
  const cluster = clusters.get(line.value.workloadUid);
  if (cluster === undefined) throw badLine(number, 'there is no workload for it');
  return { ...line, cluster };
}

/** Whether it was new. */
async function addLine(db: ArchiveTransaction, line: ExportLine, number: number): Promise<boolean> {
  switch (line.type) {
    case 'archive':
    case 'end':
      throw badLine(number, 'it stands at the wrong place');
    case 'cluster':
      return isAdded(
        await db
          .insertInto('cluster')
          .values(rowOfCluster(line.value))
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirstOrThrow(),
      );
    case 'incarnation':
      return isAdded(
        await db
          .insertInto('incarnation')
          .values(rowOfIncarnation(line.value))
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirstOrThrow(),
      );
    case 'body':
      return addBody(db, line, number);
    case 'revision':
      return isAdded(
        await db
          .insertInto('revision')
          .values(rowOfRevision(line.cluster, line.value))
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirstOrThrow(),
      );
    case 'activation':
      return isAdded(
        await db
          .insertInto('activation')
          .values(rowOfActivation(line.cluster, line.value))
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirstOrThrow(),
      );
    case 'record':
      if ((await seqOf(db, line.value.id)) !== undefined) return false;
      await saveRecords(db, [line.value]);
      return true;
    case 'review':
      return addReview(db, line, number);
    case 'comment':
      return addComment(db, line, number);
    case 'action':
      return addAction(db, line.value);
    default:
      return line satisfies never;
  }
}

async function addBody(
  db: ArchiveTransaction,
  { hash, masked, body }: ExportLine & { type: 'body' },
  number: number,
): Promise<boolean> {
  const text = canonicalJson(body);
  if (!masked && hashOfText(text) !== hash) throw badLine(number, 'the template does not match its hash');
  const insert = db.insertInto('body').values({ hash, bytes: compress(text), masked: Number(masked) });
  return isAdded(
    await insert
      .onConflict((conflict) =>
        // An unmasked one replaces a masked one.
        conflict
          .column('hash')
          .doUpdateSet((of) => ({ bytes: of.ref('excluded.bytes'), masked: of.ref('excluded.masked') }))
          .where('body.masked', '=', 1)
          .where('excluded.masked' as 'body.masked', '=', 0),
      )
      .executeTakeFirstOrThrow(),
  );
}

async function addReview(
  db: ArchiveTransaction,
  { recordId, value }: ExportLine & { type: 'review' },
  number: number,
): Promise<boolean> {
  const seq = await seqOf(db, recordId);
  if (seq === undefined) throw badLine(number, 'there is no record for its review');
  const existing = await db.selectFrom('review').select('version').where('seq', '=', seq).executeTakeFirst();
  if (existing !== undefined) return false;
  await writeReview(db, seq, value);
  return true;
}

async function addComment(
  db: ArchiveTransaction,
  { value }: ExportLine & { type: 'comment' },
  number: number,
): Promise<boolean> {
  const seq = await seqOf(db, value.recordId);
  if (seq === undefined) throw badLine(number, 'there is no record for its comment');
  const added = isAdded(
    await db
      .insertInto('comment')
      .values(rowOfComment(seq, value))
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow(),
  );
  if (added) await addMentions(db, seq, [value]);
  return added;
}

async function addAction(db: ArchiveTransaction, value: ArchivedAction): Promise<boolean> {
  return isAdded(
    await db
      .insertInto('action')
      .values(rowOfAction(value))
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow(),
  );
}

async function seqOf(db: ArchiveTransaction, recordId: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('record')
    .select('seq')
    .where('id', '=', toColumn(recordId))
    .executeTakeFirst();
  return row?.seq;
}

function isAdded({ numInsertedOrUpdatedRows }: { numInsertedOrUpdatedRows?: bigint }): boolean {
  return numInsertedOrUpdatedRows === 1n;
}

/** The lines of a text that comes in chunks; unlike readline it ends none at the separators that JSON may hold. */
export async function* splitIntoLines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
