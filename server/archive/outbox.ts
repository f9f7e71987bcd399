import 'server-only';
import { chunksOf, toColumn } from '@/server/archive/column-values';
import { type Lease, requireLease } from '@/server/archive/lease';
import type { ArchiveTransaction } from '@/server/archive/migrations/schema';
import type { ArchiveSession } from '@/server/archive/session';

/** An event to notify about, once per target. */
export interface Notice {
  /** The same event has the same id, however often it is found. */
  id: string;
  cluster: string;
  kind: string;
  /** When it happened; events that are long past when they are recorded send no notification. */
  atMs: number;
  payload: string;
  targets: readonly string[];
}

/** A notice that is due for one target. */
export interface DueNotice {
  id: string;
  cluster: string;
  target: string;
  kind: string;
  payload: string;
  createdMs: number;
  /** Failed so far. */
  attempts: number;
}

/** The state of one target. */
export interface OutboxState {
  target: string;
  waiting: number;
  /** Of the last month. */
  delivered: number;
  givenUp: number;
  lastDeliveredMs: number | null;
  /** Null while nothing has failed since the last success. */
  failingSinceMs: number | null;
  lastError: string | null;
}

/** What is older is history: it was observed late, or could not be recorded for so long. */
export const NOTICE_AGE_MAX_MS = 3_600_000;
/** How long a settled notice is stored, so that an event that is found again sends no second notification. */
const SETTLED_RETENTION_MS = 30 * 86_400_000;
/** The most that wait for one target; the oldest are abandoned while a target is away for long. */
const PENDING_MAX = 5_000;

/** Notifications that wait for their targets, and those that were settled. */
export class OutboxRepository {
  readonly #session: ArchiveSession;

  constructor(session: ArchiveSession) {
    this.#session = session;
  }

  /** Those of these clusters that are due for a target now, the one that has waited longest first. */
  async due(clusters: readonly string[], target: string, nowMs: number, limit: number): Promise<DueNotice[]> {
    if (clusters.length === 0) return [];
    const rows = await this.#session.run((db) =>
      db
        .selectFrom('outbox')
        .select(['id', 'cluster', 'kind', 'payload', 'created_ms', 'attempts'])
        .where('cluster', 'in', clusters.map(toColumn))
        .where('target', '=', toColumn(target))
        .where('next_ms', '<=', nowMs)
        .orderBy('next_ms')
        .orderBy('created_ms')
        .orderBy('id')
        .limit(limit)
        .execute(),
    );
    return rows.map(({ created_ms, ...row }) => ({ ...row, target, createdMs: created_ms }));
  }

  /**
   * `error` null: it was delivered. Otherwise `nextMs` null: it is abandoned. Throws AppError `conflict` where another
   * process records by now.
   */
  async settle(
    lease: Lease,
    { id, target }: Pick<DueNotice, 'id' | 'target'>,
    { error, nextMs }: { error: string | null; nextMs: number | null },
    nowMs: number,
  ): Promise<void> {
    await this.#session.transaction(async (transaction) => {
      await requireLease(transaction, this.#session.engine, lease);
      const isSettled = error === null || nextMs === null;
      await transaction
        .updateTable('outbox')
        .set((of) => ({
          attempts: of('attempts', '+', 1),
          tried_ms: nowMs,
          error: error === null ? null : toColumn(error),
          next_ms: isSettled ? null : nextMs,
          delivered_ms: error === null ? nowMs : null,
          ...(isSettled ? { payload: '' } : {}),
        }))
        .where('id', '=', toColumn(id))
        .where('target', '=', toColumn(target))
        .execute();
    });
  }

  /**
   * Removes what was settled long ago, and abandons what waits of the cluster for a target that is no longer configured,
   * and the oldest where too many wait. Needs the lease, like `settle`.
   */
  async prune(lease: Lease, targets: readonly string[], nowMs: number): Promise<void> {
    await this.#session.transaction(async (transaction) => {
      await requireLease(transaction, this.#session.engine, lease);
      await transaction
        .deleteFrom('outbox')
        .where('next_ms', 'is', null)
        .where('created_ms', '<', nowMs - SETTLED_RETENTION_MS)
        .execute();
      let orphaned = transaction
        .updateTable('outbox')
        .set({ next_ms: null, payload: '', error: 'This URL is no longer configured.' })
        .where('cluster', '=', toColumn(lease.cluster))
        .where('next_ms', 'is not', null);
      if (targets.length > 0) orphaned = orphaned.where('target', 'not in', targets.map(toColumn));
      await orphaned.execute();
      for (const target of targets) await dropOldest(transaction, toColumn(lease.cluster), toColumn(target));
    });
  }

  /** The state of each target that has notices. */
  states(): Promise<OutboxState[]> {
    return this.#session.run(async (db) => {
      const rows = await db
        .selectFrom('outbox')
        .select('target')
        .select((of) => [
          of.fn.count<number>('next_ms').as('waiting'),
          of.fn.count<number>('delivered_ms').as('delivered'),
          of.fn.countAll<number>().as('all'),
          of.fn.max('delivered_ms').as('delivered_ms'),
        ])
        .groupBy('target')
        .orderBy('target')
        .execute();
      return Promise.all(
        rows.map(async ({ target, waiting, delivered, all, delivered_ms }) => {
          // The longest wait among the failed attempts since the last success.
          const failing = db
            .selectFrom('outbox')
            .where('target', '=', target)
            .where('delivered_ms', 'is', null)
            .where('tried_ms', '>', delivered_ms ?? 0);
          const first = await failing.select('created_ms').orderBy('created_ms').limit(1).executeTakeFirst();
          const last = await failing.select('error').orderBy('tried_ms', 'desc').limit(1).executeTakeFirst();
          return {
            target,
            waiting,
            delivered,
            givenUp: all - waiting - delivered,
            lastDeliveredMs: delivered_ms,
            failingSinceMs: first?.created_ms ?? null,
            lastError: last?.error ?? null,
          };
        }),
      );
    });
  }
}

/** Stores notices, in the transaction of what they are about. A notice whose id is stored already is not sent again. */
export async function saveNotices(
  transaction: ArchiveTransaction,
  notices: readonly Notice[],
  nowMs: number,
): Promise<void> {
  const recent = notices.filter(({ atMs }) => atMs >= nowMs - NOTICE_AGE_MAX_MS);
  const rows = recent.flatMap(({ id, cluster, kind, payload, targets }) =>
    targets.map((target) => ({
      id: toColumn(id),
      cluster: toColumn(cluster),
      target: toColumn(target),
      kind,
      payload,
      created_ms: nowMs,
      attempts: 0,
      next_ms: nowMs,
    })),
  );
  for (const chunk of chunksOf(rows))
    await transaction
      .insertInto('outbox')
      .values(chunk.map((row) => ({ ...row, tried_ms: null, delivered_ms: null, error: null })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

async function dropOldest(transaction: ArchiveTransaction, cluster: string, target: string): Promise<void> {
  const newest = await transaction
    .selectFrom('outbox')
    .select(['created_ms', 'id'])
    .where('cluster', '=', cluster)
    .where('target', '=', target)
    .where('next_ms', 'is not', null)
    .orderBy('created_ms', 'desc')
    .orderBy('id', 'desc')
    .offset(PENDING_MAX)
    .limit(1)
    .executeTakeFirst();
  if (newest === undefined) return;
  await transaction
    .updateTable('outbox')
    .set({ next_ms: null, payload: '', error: 'Too many were waiting.' })
    .where('cluster', '=', cluster)
    .where('target', '=', target)
    .where('next_ms', 'is not', null)
    .where((of) => of(of.refTuple('created_ms', 'id'), '<=', of.tuple(newest.created_ms, newest.id)))
    .execute();
}
