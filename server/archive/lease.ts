import 'server-only';
import { sql } from 'kysely';
import { AppError } from '@/lib/errors';
import { toColumn } from '@/server/archive/column-values';
import type { ArchiveTransaction, Engine } from '@/server/archive/migrations/schema';
import type { ArchiveSession } from '@/server/archive/session';

/** The subject of the lease under which data expires: one process does it for all clusters. */
export const MAINTENANCE = '';

/**
 * Who may record a cluster, or maintain the archive: one process at a time. Every recording checks that `epoch` is still
 * the newest.
 */
export interface Lease {
  /** The id of the cluster, or {@link MAINTENANCE}. */
  cluster: string;
  holder: string;
  epoch: number;
}

/** Longer than a pause of the garbage collector or a slow disk, short enough for an unnoticed failover. */
export const LEASE_MS = 10_000;

/** The leases of an archive. */
export class LeaseRepository {
  readonly #session: ArchiveSession;

  constructor(session: ArchiveSession) {
    this.#session = session;
  }

  /**
   * Takes or renews the lease until `nowMs` + 10 s; null while another process holds it. Each new holder gets a new
   * epoch, so clocks of several machines that differ may move the lease early but never let two of them write.
   */
  acquire(holder: string, nowMs: number, cluster: string): Promise<Lease | null> {
    const key = toColumn(cluster);
    return this.#withoutSync(async (transaction) => {
      const first = { cluster: key, holder, epoch: 1, expires_ms: nowMs + LEASE_MS };
      const { numInsertedOrUpdatedRows } = await transaction
        .insertInto('lease')
        .values(first)
        .onConflict((conflict) => conflict.column('cluster').doNothing())
        .executeTakeFirstOrThrow();
      if (numInsertedOrUpdatedRows === 1n) return { cluster, holder, epoch: first.epoch };
      const row = await lockedRow(transaction, this.#session.engine, key);
      if (row.holder !== holder && row.expires_ms > nowMs) return null;
      const epoch = row.holder === holder ? row.epoch : row.epoch + 1;
      await transaction
        .updateTable('lease')
        .set({ holder, epoch, expires_ms: nowMs + LEASE_MS })
        .where('cluster', '=', key)
        .execute();
      return { cluster, holder, epoch };
    });
  }

  /** Gives it back at once; one that has passed to another holder is unchanged. */
  async release({ cluster, holder, epoch }: Lease): Promise<void> {
    await this.#session.run((db) =>
      db
        .updateTable('lease')
        .set({ expires_ms: 0 })
        .where('cluster', '=', toColumn(cluster))
        .where('holder', '=', holder)
        .where('epoch', '=', epoch)
        .execute(),
    );
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
 * Locks the row until the end of the transaction, or those of all clusters for maintenance. Throws AppError `conflict`
 * where another holder has taken the lease since.
 */
export async function requireLease(
  transaction: ArchiveTransaction,
  engine: Engine,
  { cluster, holder, epoch }: Lease,
): Promise<void> {
  // What expires may be named again by a recording under another lease: neither runs while the other does.
  if (cluster === MAINTENANCE && engine === 'postgres')
    await sql`lock table lease in exclusive mode`.execute(transaction);
  const row = await lockedRow(transaction, engine, toColumn(cluster));
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

async function lockedRow(transaction: ArchiveTransaction, engine: Engine, cluster: string) {
  const row = await transaction
    .selectFrom('lease')
    .selectAll()
    .where('cluster', '=', cluster)
    .$if(engine === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst();
  return row ?? { cluster, holder: '', epoch: 0, expires_ms: 0 };
}
