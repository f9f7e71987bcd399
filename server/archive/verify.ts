import 'server-only';
import { sql } from 'kysely';
import type { z } from 'zod';
import { canonicalJson, parseJson } from '@/lib/kube/json';
import { hashOfText } from '@/server/archive/revisions';
import { parseDocument, decompress } from '@/server/archive/column-values';
import { activationSchema, incarnationSchema, archivedRevisionSchema } from '@/lib/api/incarnation';
import { clusterRowSchema } from '@/server/archive/clusters';
import { commentSchema, reviewSchema } from '@/lib/api/review';
import { actionDocumentSchema, recordDocumentSchema, samplesSchema } from '@/server/archive/document-schemas';
import { pagesOf } from '@/server/archive/pages';
import { digestOf } from '@/server/archive/records';
import { mentionTermsOf } from '@/server/archive/reviews';
import type { ArchiveDatabase, ArchiveDb } from '@/server/archive/migrations/schema';
import { termsOf } from '@/server/archive/search-terms';
import { messageOf } from '@/lib/errors';

/** What is wrong with the archive, a sentence each; empty where every row can be read and is consistent. */
export async function verifyArchive({ engine, db }: ArchiveDatabase): Promise<string[]> {
  const problems: string[] = [];
  const report = (what: string, check: () => string | null) => {
    try {
      const problem = check();
      if (problem !== null) problems.push(`${what} ${problem}.`);
    } catch (error) {
      problems.push(`${what} can't be read: ${messageOf(error)}.`);
    }
  };
  if (engine === 'sqlite') problems.push(...(await problemsOfFile(db)));
  await verifyBodies(db, report);
  await verifyRecords(db, report);
  await verifyDocuments(db, report);
  return problems;
}

type ReportProblem = (what: string, check: () => string | null) => void;

async function problemsOfFile(db: ArchiveDb): Promise<string[]> {
  const integrity = await sql<{
    told: string;
  }>`select integrity_check as told from pragma_integrity_check`.execute(db);
  const foreign = await sql<{ name: string }>`select "table" as name from pragma_foreign_key_check`.execute(
    db,
  );
  return [
    ...integrity.rows.filter(({ told }) => told !== 'ok').map(({ told }) => `The file is damaged: ${told}.`),
    ...foreign.rows.map(({ name }) => `A row of ${name} has no parent row.`),
  ];
}

async function verifyBodies(db: ArchiveDb, report: ReportProblem): Promise<void> {
  for await (const rows of pagesOf(db.selectFrom('body').selectAll(), 'hash')) {
    for (const { hash, bytes, masked } of rows) {
      report(`The template ${hash}`, () => {
        const text = decompress(bytes);
        if (canonicalJson(parseJson(text)) !== text) return 'is not in its canonical form';
        return masked === 1 || hashOfText(text) === hash ? null : 'does not match its hash';
      });
    }
  }
}

async function verifyRecords(db: ArchiveDb, report: ReportProblem): Promise<void> {
  const query = db
    .selectFrom('record')
    .leftJoin('record_document', 'record_document.seq', 'record.seq')
    .leftJoin('review', 'review.seq', 'record.seq')
    .select(['record.seq', 'record.id', 'terms_digest', 'reviewed', 'samples'])
    .select(['record_document.document', 'review.document as review']);
  for await (const rows of pagesOf(query, 'id')) {
    const seqs = rows.map(({ seq }) => seq);
    const terms = await termsBySeq(db, seqs);
    const mentions = await mentionsBySeq(db, seqs);
    for (const row of rows) {
      report(`The record ${row.id}`, () => {
        if (row.document === null) return 'has no content';
        const document = parseDocument(recordDocumentSchema, decompress(row.document));
        if (row.samples !== null) parseDocument(samplesSchema, decompress(row.samples));
        if (row.review !== null) parseDocument(reviewSchema, row.review);
        if (row.reviewed !== Number(row.review !== null)) return 'has no review state';
        const expected = termsOf(document);
        const all = [...expected, ...(mentions.get(row.seq) ?? [])];
        const found = terms.get(row.seq) ?? new Set();
        const isComplete = all.length === found.size && all.every((term) => found.has(term));
        return isComplete && digestOf(expected) === row.terms_digest
          ? null
          : 'is not indexed under all of its words';
      });
    }
  }
}

async function termsBySeq(db: ArchiveDb, seqs: readonly number[]): Promise<Map<number, Set<string>>> {
  const terms = new Map<number, Set<string>>();
  if (seqs.length === 0) return terms;
  const rows = await db.selectFrom('record_term').selectAll().where('seq', 'in', seqs).execute();
  for (const { seq, term } of rows) {
    const known = terms.get(seq);
    if (known === undefined) terms.set(seq, new Set([term]));
    else known.add(term);
  }
  return terms;
}

/** The terms of comments; one that can't be read is reported as a comment. */
async function mentionsBySeq(db: ArchiveDb, seqs: readonly number[]): Promise<Map<number, string[]>> {
  if (seqs.length === 0) return new Map();
  const rows = await db.selectFrom('comment').select(['seq', 'document']).where('seq', 'in', seqs).execute();
  const comments = rows.flatMap(({ seq, document }) => {
    try {
      return [{ seq, comment: parseDocument(commentSchema, document) }];
    } catch {
      return [];
    }
  });
  const bySeq = Map.groupBy(comments, ({ seq }) => seq);
  return new Map([...bySeq].map(([seq, of]) => [seq, mentionTermsOf(of.map(({ comment }) => comment))]));
}

async function verifyDocuments(db: ArchiveDb, report: ReportProblem): Promise<void> {
  for await (const rows of pagesOf(
    db.selectFrom('incarnation').select(['cluster', 'uid', 'document']),
    'cluster',
    'uid',
  ))
    for (const { uid, document } of rows)
      report(`The workload ${uid}`, () => problemOf(incarnationSchema, document));
  for await (const rows of pagesOf(db.selectFrom('cluster').select(['id', 'document']), 'id'))
    for (const { id, document } of rows)
      report(`The cluster ${id}`, () => problemOf(clusterRowSchema, document));
  const revisions = db.selectFrom('revision').select(['cluster', 'workload_uid', 'id', 'document']);
  for await (const rows of pagesOf(revisions, 'cluster', 'workload_uid', 'id'))
    for (const { id, document } of rows)
      report(`The revision ${id}`, () => problemOf(archivedRevisionSchema, document));
  for await (const rows of pagesOf(
    db.selectFrom('activation').selectAll(),
    'cluster',
    'workload_uid',
    'number',
  ))
    for (const { workload_uid, number, document } of rows)
      report(`The activation ${number} of ${workload_uid}`, () => problemOf(activationSchema, document));
  for await (const rows of pagesOf(db.selectFrom('comment').select(['id', 'document']), 'id'))
    for (const { id, document } of rows)
      report(`The comment ${id}`, () => problemOf(commentSchema, document));
  for await (const rows of pagesOf(db.selectFrom('action').select(['id', 'state', 'document']), 'id'))
    for (const { id, state, document } of rows)
      report(`The action ${id}`, () => {
        const { action } = parseDocument(actionDocumentSchema, document);
        return action.id === id && action.state === state ? null : 'does not match its row';
      });
}

function problemOf(schema: z.core.$ZodType, document: string): null {
  parseDocument(schema, document);
  return null;
}
