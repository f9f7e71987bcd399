import 'server-only';
import { sql } from 'kysely';
import type { Outcome } from '@/lib/api/record-values';
import type { WorkloadIncarnation } from '@/lib/api/incarnation';
import { chunksOf, toColumn } from '@/server/archive/column-values';
import { isChanged, nearestTo, OPEN } from '@/server/archive/records';
import type { ArchiveSession } from '@/server/archive/session';

/** A rollout, reduced to what the figures of a period need. */
export interface ArchivedRollout {
  id: string;
  workloadUid: string;
  activation: number;
  /** The start, or its bound. */
  startedMs: number;
  /** Null where the end was not observed, and while it is open. */
  endedMs: number | null;
  /** Null while it is open. */
  outcome: Outcome | null;
  isReviewed: boolean;
  isStartKnown: boolean;
  wasStuck: boolean;
  hasCause: boolean;
  /** Its template had been the target of the workload before. */
  isReturn: boolean;
}

export type ArchivedWorkload = Pick<WorkloadIncarnation, 'cluster' | 'resource' | 'namespace' | 'name'>;

interface RolloutQuery {
  cluster: string;
  sinceMs: number;
  namespaces: readonly string[] | null;
  /** Where the previous page ended. */
  before: ArchivedPage['next'];
  limit: number;
}

export interface ArchivedPage {
  items: ArchivedRollout[];
  next: { startedMs: number; activation: number; id: string } | null;
}

/** What the report counts; no document is opened. */
export class ReportRepository {
  readonly #session: ArchiveSession;

  constructor(session: ArchiveSession) {
    this.#session = session;
  }

  /** Latest start first, those of unknown start left out: all columns are in the index of that order. */
  async rollouts({ cluster, sinceMs, namespaces, before, limit }: RolloutQuery): Promise<ArchivedPage> {
    const rows = await this.#session.run((db) => {
      let query = db
        .selectFrom('record')
        .select(['id', 'workload_uid', 'activation', 'started_ms', 'ended_ms', 'outcome'])
        .select(['reviewed', 'start_known', 'stuck', 'has_cause', 'is_return'])
        .where('cluster', '=', toColumn(cluster))
        // A rollout without even a bound of its start belongs to no period.
        .where('started_ms', '>=', Math.max(1, sinceMs))
        .orderBy('started_ms', 'desc')
        .orderBy('activation', 'desc')
        .orderBy('id', 'desc')
        .limit(limit);
      if (namespaces !== null) query = query.where('namespace', 'in', namespaces.map(toColumn));
      if (before !== null) {
        query = query.where((of) =>
          of(
            of.refTuple('started_ms', 'activation', 'id'),
            '<',
            of.tuple(before.startedMs, before.activation, toColumn(before.id)),
          ),
        );
      }
      return query.execute();
    });
    const last = rows.at(-1);
    return {
      items: rows.map((row): ArchivedRollout => ({
        id: row.id,
        workloadUid: row.workload_uid,
        activation: row.activation,
        startedMs: row.started_ms,
        endedMs: row.outcome === OPEN || row.outcome === 'unknown' ? null : row.ended_ms,
        outcome: row.outcome === OPEN ? null : (row.outcome as ArchivedRollout['outcome']),
        isReviewed: row.reviewed === 1,
        isStartKnown: row.start_known === 1,
        wasStuck: row.stuck === 1,
        hasCause: row.has_cause === 1,
        isReturn: row.is_return === 1,
      })),
      next:
        rows.length < limit || last === undefined
          ? null
          : { startedMs: last.started_ms, activation: last.activation, id: last.id },
    };
  }

  /** The workloads that these records are of, by their uid. */
  workloads(ids: readonly string[]): Promise<ReadonlyMap<string, ArchivedWorkload>> {
    return this.#session.run(async (db) => {
      const found = new Map<string, ArchivedWorkload>();
      for (const chunk of chunksOf(ids.map(toColumn))) {
        const rows = await db
          .selectFrom('record')
          .select(['workload_uid', 'cluster', 'resource', 'namespace', 'name'])
          .where('id', 'in', chunk)
          .execute();
        for (const { workload_uid, ...workload } of rows) found.set(workload_uid, workload);
      }
      return found;
    });
  }

  /**
   * When those of these records that were reverted were: the start, in milliseconds, of the first later rollout of the
   * incarnation that led to the template they had replaced. Rollouts whose start is unknown don't count.
   */
  revertTimes(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.#session.run(async (db) => {
      const found = new Map<string, number>();
      for (const chunk of chunksOf(ids.map(toColumn))) {
        const rows = await db
          .selectFrom('record')
          .innerJoin('record as later', (join) =>
            join
              .onRef('later.cluster', '=', 'record.cluster')
              .onRef('later.workload_uid', '=', 'record.workload_uid')
              .on('later.activation', '=', nearestTo('from', 'after', sql`near.started_ms > 0`)),
          )
          .where('record.id', 'in', chunk)
          .where(isChanged)
          .select(['record.id', 'later.started_ms as ms'])
          .execute();
        for (const { id, ms } of rows) found.set(id, ms);
      }
      return found;
    });
  }
}
