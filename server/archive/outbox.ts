import 'server-only';
import { type DueNotice, type Lease, type Notice, type OutboxState } from '@/server/archive/archive';
import { partsOf, toColumn } from '@/server/archive/codec';
import { requireLease } from '@/server/archive/lease';
import { type ArchiveDatabase, type ArchiveDb, type ArchiveTransaction } from '@/server/archive/schema';

/** What is longer ago is history: it was seen late, or could not be recorded for so long. */
export const NEWS_MS = 3_600_000;
/** So long a settled one is remembered: nobody is told twice of what is found again. */
const KEPT_MS = 30 * 86_400_000;
/** What waits for one target at most; of a target that is away for long the oldest are given up. */
export const WAITING_MAX = 5_000;

/** Keeps what is to be told, in the transaction of what it tells of. What is known by its id is not told again. */
export async function saveNotices(
  transaction: ArchiveTransaction,
  notices: readonly Notice[],
  nowMs: number,
): Promise<void> {
  const news = notices.filter(({ atMs }) => atMs >= nowMs - NEWS_MS);
  const rows = news.flatMap(({ id, kind, payload, targets }) =>
    targets.map((target) => ({
      id: toColumn(id),
      target: toColumn(target),
      kind,
      payload,
      created_ms: nowMs,
      attempts: 0,
      next_ms: nowMs,
    })),
  );
  for (const part of partsOf(rows))
    await transaction
      .insertInto('outbox')
      .values(part.map((row) => ({ ...row, tried_ms: null, delivered_ms: null, error: null })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

/** Those that are to be sent to a target now, the one that has waited longest first. */
export async function dueNotices(
  db: ArchiveDb,
  target: string,
  nowMs: number,
  limit: number,
): Promise<DueNotice[]> {
  const rows = await db
    .selectFrom('outbox')
    .select(['id', 'kind', 'payload', 'created_ms', 'attempts'])
    .where('target', '=', toColumn(target))
    .where('next_ms', '<=', nowMs)
    .orderBy('next_ms')
    .orderBy('created_ms')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ created_ms, ...row }) => ({ ...row, target, createdMs: created_ms }));
}

/** `error` null: delivered. `nextMs` null: given up. Throws AppError `conflict` where another process records by now. */
export async function settleNotice(
  { engine, db }: ArchiveDatabase,
  lease: Lease,
  { id, target }: Pick<DueNotice, 'id' | 'target'>,
  { error, nextMs }: { error: string | null; nextMs: number | null },
  nowMs: number,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await requireLease(transaction, engine, lease);
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
 * Forgets what was settled long ago, and gives up what waits for a target that is no longer told of anything, and the
 * oldest where too many wait.
 */
export async function tidyOutbox(
  { engine, db }: ArchiveDatabase,
  lease: Lease,
  targets: readonly string[],
  nowMs: number,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await requireLease(transaction, engine, lease);
    await transaction
      .deleteFrom('outbox')
      .where('next_ms', 'is', null)
      .where('created_ms', '<', nowMs - KEPT_MS)
      .execute();
    let strange = transaction
      .updateTable('outbox')
      .set({ next_ms: null, payload: '', error: 'Nobody is told at this address any more.' })
      .where('next_ms', 'is not', null);
    if (targets.length > 0) strange = strange.where('target', 'not in', targets.map(toColumn));
    await strange.execute();
    for (const target of targets) await giveUpOldest(transaction, toColumn(target));
  });
}

async function giveUpOldest(transaction: ArchiveTransaction, target: string): Promise<void> {
  const newest = await transaction
    .selectFrom('outbox')
    .select(['created_ms', 'id'])
    .where('target', '=', target)
    .where('next_ms', 'is not', null)
    .orderBy('created_ms', 'desc')
    .orderBy('id', 'desc')
    .offset(WAITING_MAX)
    .limit(1)
    .executeTakeFirst();
  if (newest === undefined) return;
  await transaction
    .updateTable('outbox')
    .set({ next_ms: null, payload: '', error: 'Too many were waiting.' })
    .where('target', '=', target)
    .where('next_ms', 'is not', null)
    .where((of) => of(of.refTuple('created_ms', 'id'), '<=', of.tuple(newest.created_ms, newest.id)))
    .execute();
}

/** How it stands with each target that anything was kept for. */
export async function outboxState(db: ArchiveDb): Promise<OutboxState[]> {
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
      // The longest wait among what was tried in vain since the last success.
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
}
