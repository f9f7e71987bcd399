import 'server-only';
import { sql } from 'kysely';
import { AppError } from '@/lib/errors';
import { toColumn } from '@/server/archive/column-values';
import { type ArchiveTransaction, type Engine } from '@/server/archive/migrations/schema';
import { type Session } from '@/server/archive/session';

/** Who may record: one process at a time. Every recording checks that `epoch` is still the newest. */
export interface Lease {
  holder: string;
  epoch: number;
}

/** Longer than a pause of the garbage collector or a slow disk, short enough for an unnoticed failover. */
export const LEASE_MS = 10_000;

const ROW = 1;

/** The lease of the recorder. */
export class RecorderLease {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /**
   * Takes or renews the lease until `nowMs` + 10 s; null while another process holds it. Each new holder gets a new
   * epoch, so clocks of several machines that differ may move the lease early but never let two of them write.
   * `cluster` is the cluster that the holder records, empty while the holder does not know it.
   */
  acquire(holder: string, nowMs: number, cluster: string): Promise<Lease | null> {
    return this.#withoutSync(async (transaction) => {
      const first = { id: ROW, holder, epoch: 1, expires_ms: nowMs + LEASE_MS, cluster: toColumn(cluster) };
      const { numInsertedOrUpdatedRows } = await transaction
        .insertInto('lease')
        .values(first)
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirstOrThrow();
      if (numInsertedOrUpdatedRows === 1n) return { holder, epoch: first.epoch };
      const row = await lockedRow(transaction, this.#session.engine);
      if (row.holder !== holder && row.expires_ms > nowMs) return null;
      const epoch = row.holder === holder ? row.epoch : row.epoch + 1;
      await transaction
        .updateTable('lease')
        .set({ holder, epoch, expires_ms: nowMs + LEASE_MS, cluster: toColumn(cluster) })
        .where('id', '=', ROW)
        .execute();
      return { holder, epoch };
    });
  }

  /** Gives it back at once; one that has passed to another holder is unchanged. */
  async release({ holder, epoch }: Lease): Promise<void> {
    await this.#session.run((db) =>
      db
        .updateTable('lease')
        .set({ expires_ms: 0 })
        .where('holder', '=', holder)
        .where('epoch', '=', epoch)
        .execute(),
    );
  }

  /** The cluster that the latest holder of the lease records; null where the holder has not stated it. */
  async cluster(): Promise<string | null> {
    const row = await this.#session.run((db) =>
      db.selectFrom('lease').select('cluster').where('id', '=', ROW).executeTakeFirst(),
    );
    return row === undefined || row.cluster === '' ? null : row.cluster;
  }

  /**
   * A renewal need not outlive the machine, on which its holder ends as well; waiting for the disk every few seconds
   * would keep requests waiting, since SQLite blocks everything else meanwhile.
   * https://sqlite.org/pragma.html#pragma_synchronous
   */
  async #withoutSync<Result>(work: (transaction: ArchiveTransaction) => Promise<Result>): Promise<Result> {
    if (this.#session.engine === 'postgres') return this.#session.transaction(work);
    return this.#session.run((db) =>
      db.connection().execute(async (connection) => {
        await sql`pragma synchronous = normal`.execute(connection);
        try {
          return await connection.transaction().execute(work);
        } finally {
          await sql`pragma synchronous = full`.execute(connection);
        }
      }),
    );
  }
}

/**
 * Locks the row until the end of the transaction. Throws AppError `conflict` where another holder has taken the lease
 * since.
 */
export async function requireLease(
  transaction: ArchiveTransaction,
  engine: Engine,
  { holder, epoch }: Lease,
): Promise<void> {
  const row = await lockedRow(transaction, engine);
  if (row.holder === holder && row.epoch === epoch) return;
  throw new AppError(
    'conflict',
    'Another Shiplog has taken over recording; this one only reads from now on.',
    {
      holder: row.holder,
      epoch: row.epoch,
    },
  );
}

async function lockedRow(transaction: ArchiveTransaction, engine: Engine) {
  const row = await transaction
    .selectFrom('lease')
    .selectAll()
    .where('id', '=', ROW)
    .$if(engine === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst();
  return row ?? { id: ROW, holder: '', epoch: 0, expires_ms: 0, cluster: '' };
}
