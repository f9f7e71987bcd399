import 'server-only';
import { toColumn } from '@/server/archive/column-values';
import { type Session } from '@/server/archive/session';

/** A person who has signed in with one browser. The archive has only hashes of what the browser holds. */
export interface ViewerSession {
  idHash: string;
  actHash: string;
  /** The id of the person. */
  person: string;
  /** JSON: what is shown of the person. */
  document: string;
  /** The credentials for the clusters, encrypted. */
  sealed: string;
  /** Last use and end, in milliseconds since the epoch. */
  seenMs: number;
  expiresMs: number;
}

/** The sessions of all processes that share the archive. */
export class ViewerSessionRepository {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Adds it, or replaces the one with this id; those that have expired by `nowMs` are deleted. */
  async save(session: ViewerSession, nowMs: number): Promise<void> {
    const { id_hash, ...row } = rowOf(session);
    await this.#session.transaction(async (transaction) => {
      await transaction.deleteFrom('session').where('expires_ms', '<', nowMs).execute();
      await transaction
        .insertInto('session')
        .values({ id_hash, ...row })
        .onConflict((conflict) => conflict.column('id_hash').doUpdateSet(row))
        .execute();
    });
  }

  /** Undefined where there is none, or none any more. */
  async find(idHash: string, nowMs: number): Promise<ViewerSession | undefined> {
    const row = await this.#session.run((db) =>
      db
        .selectFrom('session')
        .selectAll()
        .where('id_hash', '=', idHash)
        .where('expires_ms', '>=', nowMs)
        .executeTakeFirst(),
    );
    return (
      row && {
        idHash,
        actHash: row.act_hash,
        person: row.person,
        document: row.document,
        sealed: row.sealed,
        seenMs: row.seen_ms,
        expiresMs: row.expires_ms,
      }
    );
  }

  /** Notes that it is in use, and until when it lasts then. */
  async touch(idHash: string, seenMs: number, expiresMs: number): Promise<void> {
    await this.#session.run((db) =>
      db
        .updateTable('session')
        .set({ seen_ms: seenMs, expires_ms: expiresMs })
        .where('id_hash', '=', idHash)
        .execute(),
    );
  }

  async end(idHash: string): Promise<void> {
    await this.#session.run((db) => db.deleteFrom('session').where('id_hash', '=', idHash).execute());
  }
}

function rowOf({ idHash, actHash, person, document, sealed, seenMs, expiresMs }: ViewerSession) {
  return {
    id_hash: idHash,
    act_hash: actHash,
    person: toColumn(person),
    document,
    sealed,
    seen_ms: seenMs,
    expires_ms: expiresMs,
  };
}
