import 'server-only';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import type { PodSample } from '@/lib/api/record';
import type { RecordSummary } from '@/lib/api/record-summary';
import type { TemplateRef } from '@/lib/records/template-meaning';
import { chunksOf, decompress, parseDocument, toColumn } from '@/server/archive/column-values';
import { reviewSchema } from '@/lib/api/review';
import { samplesSchema, summaryDocumentSchema } from '@/server/archive/document-schemas';
import type { ArchiveDb } from '@/server/archive/migrations/schema';
import {
  isChanged,
  type ListedRecord,
  listedRecordQuery,
  nearestTo,
  toListedRecord,
  unknownRecord,
} from '@/server/archive/records';
import { countRecords, defaultLimits, type RecordCount, searchRecords } from '@/server/archive/search';
import type { RecordQuery } from '@/server/archive/record-query';
import type { ArchiveSession } from '@/server/archive/session';
import type { IncarnationKey } from '@/server/archive/workloads';

/** What a rollout led from and to; `from` is null for the first. */
export interface RecordTransition {
  id: string;
  from: TemplateRef | null;
  to: TemplateRef;
}

/** What a return to an earlier template reverts. */
export interface RevertedRecord {
  /** The rollout that led away from that template when it was last the target. */
  first: RecordSummary;
  /** How many came after it. */
  others: number;
}

/** Ids of the records of the same incarnation before and after a record. */
interface AdjacentRecords {
  previous: string | null;
  next: string | null;
}

/** Pods by revision during a rollout. */
export interface RecordTrack {
  summary: RecordSummary;
  /** Empty where they have expired. */
  samples: readonly PodSample[];
}

/** The records of rollouts. */
export class RolloutRepository {
  readonly #session: ArchiveSession;

  constructor(session: ArchiveSession) {
    this.#session = session;
  }

  /** With samples where they have not expired; null for an unknown id. */
  async byId(id: string): Promise<ListedRecord | null> {
    const row = await this.#session.run((db) =>
      listedRecordQuery(db).select('samples').where('record.id', '=', toColumn(id)).executeTakeFirst(),
    );
    return row === undefined ? null : toListedRecord(row);
  }

  /** Those of one incarnation, in order, with samples. */
  async of({ cluster, uid }: IncarnationKey): Promise<ListedRecord[]> {
    const rows = await this.#session.run((db) =>
      listedRecordQuery(db)
        .select('samples')
        .where('record.cluster', '=', toColumn(cluster))
        .where('workload_uid', '=', toColumn(uid))
        .orderBy('activation')
        .orderBy('record.id')
        .execute(),
    );
    return rows.map(toListedRecord);
  }

  /** Latest start first, those of unknown start last; without samples. */
  search(query: RecordQuery): Promise<{ items: ListedRecord[]; nextCursor: string | null }> {
    return this.#session.run((db) => searchRecords(db, query, defaultLimits(this.#session.engine)));
  }

  /**
   * The records that a search finds, on all its pages, counted in buckets of `partMs` by their start, or all together
   * where it is null; earliest bucket first.
   */
  histogram(query: RecordQuery, partMs: number | null): Promise<RecordCount[]> {
    return this.#session.run((db) => countRecords(db, query, partMs, defaultLimits(this.#session.engine)));
  }

  /** The latest of one incarnation, in order. */
  async summaries({ cluster, uid }: IncarnationKey, limit: number): Promise<RecordSummary[]> {
    const rows = await this.#session.run((db) =>
      listedRecordQuery(db)
        .where('record.cluster', '=', toColumn(cluster))
        .where('workload_uid', '=', toColumn(uid))
        .orderBy('activation', 'desc')
        .limit(limit)
        .execute(),
    );
    return rows.reverse().map((row) => summaryOf(knownDocument(row.document), row.reverted_by, row.review));
  }

  /** Those of these ids, in no order. */
  summariesById(ids: readonly string[]): Promise<RecordSummary[]> {
    return this.#session.run(async (db) => {
      const summaries: RecordSummary[] = [];
      for (const chunk of chunksOf(ids.map(toColumn))) {
        const rows = await recordDocuments(db).where('record.id', 'in', chunk).execute();
        summaries.push(...rows.map(({ document }) => toSummary(document)));
      }
      return summaries;
    });
  }

  /** The last one of each incarnation that is not deleted, in order of uid, up to `limit` after `afterUid`. */
  async latestSummaries(cluster: string, afterUid: string, limit: number): Promise<RecordSummary[]> {
    const rows = await this.#session.run((db) =>
      db
        .selectFrom('incarnation')
        .innerJoin('record', (join) =>
          join
            .onRef('record.cluster', '=', 'incarnation.cluster')
            .onRef('record.workload_uid', '=', 'incarnation.uid'),
        )
        .innerJoin('record_document', 'record_document.seq', 'record.seq')
        .select('record_document.document')
        .where('incarnation.cluster', '=', toColumn(cluster))
        .where('incarnation.deleted_ms', 'is', null)
        .where('incarnation.uid', '>', toColumn(afterUid))
        .where((of) =>
          of(
            'record.activation',
            '=',
            of
              .selectFrom('record as other')
              .whereRef('other.cluster', '=', 'incarnation.cluster')
              .whereRef('other.workload_uid', '=', 'incarnation.uid')
              .select(({ fn }) => fn.max('other.activation').as('last')),
          ),
        )
        .orderBy('incarnation.uid')
        .limit(limit)
        .execute(),
    );
    return rows.map(({ document }) => toSummary(document));
  }

  /** Those of these ids, and all that began since then. */
  changedSummaries(cluster: string, sinceMs: number, ids: readonly string[]): Promise<RecordSummary[]> {
    return this.#session.run(async (db) => {
      const ofCluster = recordDocuments(db).where('record.cluster', '=', toColumn(cluster));
      const rows = await ofCluster.where('record.started_ms', '>=', sinceMs).execute();
      for (const chunk of chunksOf(ids.map(toColumn)))
        rows.push(...(await ofCluster.where('record.id', 'in', chunk).execute()));
      return rows.map(({ document }) => toSummary(document));
    });
  }

  /**
   * From which template to which the latest rollouts of an incarnation before an activation led, in order: no document
   * is opened.
   */
  async transitions(
    { cluster, uid }: IncarnationKey,
    beforeActivation: number,
    limit: number,
  ): Promise<RecordTransition[]> {
    const rows = await this.#session.run((db) =>
      db
        .selectFrom('record')
        .select(['id', 'from_hash', 'from_meaning', 'to_hash', 'to_meaning'])
        .where('record.cluster', '=', toColumn(cluster))
        .where('workload_uid', '=', toColumn(uid))
        .where('activation', '<', beforeActivation)
        .orderBy('activation', 'desc')
        .limit(limit)
        .execute(),
    );
    return rows.reverse().map((row) => ({
      id: row.id,
      from: row.from_hash === null ? null : templateRef(row.from_hash, row.from_meaning),
      to: templateRef(row.to_hash, row.to_meaning),
    }));
  }

  /**
   * Pods by revision over the latest rollouts of one incarnation, in order; only those that began since then, if given.
   */
  async tracks(
    { cluster, uid }: IncarnationKey,
    limit: number,
    sinceMs: number | null,
  ): Promise<RecordTrack[]> {
    const rows = await this.#session.run((db) => {
      let query = db
        .selectFrom('record')
        .innerJoin('record_document', 'record_document.seq', 'record.seq')
        .select(['record_document.document', 'record_document.samples'])
        .where('record.cluster', '=', toColumn(cluster))
        .where('workload_uid', '=', toColumn(uid));
      if (sinceMs !== null) query = query.where('started_ms', '>=', sinceMs);
      return query.orderBy('activation', 'desc').limit(limit).execute();
    });
    return rows.reverse().map(({ document, samples }) => ({
      summary: toSummary(document),
      samples: samples === null ? [] : parseDocument(samplesSchema, decompress(samples)),
    }));
  }

  /** The records of the same incarnation before and after an activation. */
  adjacent({ cluster, uid }: IncarnationKey, activation: number): Promise<AdjacentRecords> {
    return this.#session.run(async (db) => {
      const ofIncarnation = db
        .selectFrom('record')
        .select('id')
        .where('record.cluster', '=', toColumn(cluster))
        .where('workload_uid', '=', toColumn(uid));
      const [previous, next] = await Promise.all([
        ofIncarnation
          .where('activation', '<', activation)
          .orderBy('activation', 'desc')
          .limit(1)
          .executeTakeFirst(),
        ofIncarnation.where('activation', '>', activation).orderBy('activation').limit(1).executeTakeFirst(),
      ]);
      return { previous: previous?.id ?? null, next: next?.id ?? null };
    });
  }

  /**
   * For those of the records that returned to an earlier template, by their id: the rollout that led away from it when
   * it was last the target, and how many came after that.
   */
  reverted(ids: readonly string[]): Promise<ReadonlyMap<string, RevertedRecord>> {
    return this.#session.run(async (db) => {
      const found = new Map<string, RevertedRecord>();
      for (const chunk of chunksOf(ids.map(toColumn))) {
        const { rows } = await sql<RevertedRow>`
          select record.id, record.activation as "activation", away.activation as "awayActivation", document
          from record
          join record as away on away.cluster = record.cluster and away.workload_uid = record.workload_uid
            and away.activation = (
            select min(next.activation) from record as next
            where next.cluster = record.cluster and next.workload_uid = record.workload_uid and next.activation > ${nearestTo('to', 'before')})
          join record_document on record_document.seq = away.seq
          where record.id in (${sql.join(chunk)})
            and ${isChanged} and away.activation < record.activation`.execute(db);
        for (const { id, activation, awayActivation, document } of rows)
          found.set(id, { first: toSummary(document), others: activation - awayActivation - 1 });
      }
      return found;
    });
  }

  /** When the first rollout of the cluster began whose start, or a bound of it, is known. */
  async oldestAt(cluster: string): Promise<string | null> {
    const oldest = await this.#session.run((db) =>
      db
        .selectFrom('record')
        .where('cluster', '=', toColumn(cluster))
        .where('started_ms', '>', 0)
        .orderBy('started_ms')
        .limit(1)
        .select('started_ms')
        .executeTakeFirst(),
    );
    return oldest === undefined ? null : new Date(oldest.started_ms).toISOString();
  }

  /** Throws AppError `not_found` for an unknown record. */
  async pin(id: string, pinned: boolean): Promise<void> {
    const { numUpdatedRows } = await this.#session.run((db) =>
      db
        .updateTable('record')
        .set({ pinned: Number(pinned) })
        .where('id', '=', toColumn(id))
        .executeTakeFirst(),
    );
    if (numUpdatedRows === 0n) throw unknownRecord(id);
  }
}

function recordDocuments(db: ArchiveDb) {
  return db
    .selectFrom('record')
    .innerJoin('record_document', 'record_document.seq', 'record.seq')
    .select('record_document.document');
}

function templateRef(hash: string, meaning: string | null): TemplateRef {
  return meaning === null ? { hash } : { hash, meaning };
}

interface RevertedRow {
  id: string;
  activation: number;
  awayActivation: number;
  document: Uint8Array;
}

type SummaryDocument = z.infer<typeof summaryDocumentSchema>;

function toSummary(document: Uint8Array): RecordSummary {
  return summaryOf(readDocument(document));
}

function summaryOf(
  { workload, ...summary }: SummaryDocument,
  revertedBy: string | null = null,
  review: string | null = null,
): RecordSummary {
  const verdict = review === null ? null : parseDocument(reviewSchema, review).verdict;
  return { ...summary, uid: workload.uid, revertedBy, verdict };
}

function readDocument(document: Uint8Array): SummaryDocument {
  return parseDocument(summaryDocumentSchema, decompress(document));
}

/** Each page of a workload reads its latest records again, which seldom changed; what reads a fleet does so once. */
const DOCUMENTS_MAX = 2_000;
const knownDocuments = new LRUCache<string, SummaryDocument>({ max: DOCUMENTS_MAX });

function knownDocument(document: Uint8Array): SummaryDocument {
  const bytes = Buffer.from(document.buffer, document.byteOffset, document.byteLength).toString('latin1');
  const known = knownDocuments.get(bytes);
  if (known !== undefined) return known;
  const read = readDocument(document);
  knownDocuments.set(bytes, read);
  return read;
}
