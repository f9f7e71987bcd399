import 'server-only';
import type { Selectable } from 'kysely';
import { z } from 'zod';
import { chunksOf, toColumn } from '@/server/archive/column-values';
import type { ArchiveSchema } from '@/server/archive/migrations/schema';
import type { ArchiveSession } from '@/server/archive/session';

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
  /** Goes up with each renewal. */
  version: number;
  /** When the identity provider last confirmed the person, in milliseconds since the epoch. */
  checkedMs: number;
  /** Null where no identity provider has signed the person in. */
  login: ProviderLogin | null;
}

/** As an identity provider names a sign-in, when it ends it at the back channel. */
export interface ProviderLogin {
  issuer: string;
  subject: string;
  /** Of the session of the browser at the provider. */
  sid: string | null;
}

/** With a subject, a sid, or both. */
export interface LoginFilter {
  issuer: string;
  subject: string | undefined;
  sid: string | undefined;
  /** By the clock of the provider, in milliseconds since the epoch: later sign-ins are not meant. */
  untilMs: number;
}

/** When the provider signed the person in, by its own clock; absent in sessions of earlier versions. */
const documentSchema = z.object({ signedInMs: z.number().default(-Infinity) });

/** The right of one process to renew a session. */
export interface RenewalLease {
  idHash: string;
  /** The version that is renewed. */
  version: number;
  owner: string;
}

/** The sessions of all processes that share the archive. */
export class ViewerSessionRepository {
  readonly #session: ArchiveSession;

  constructor(session: ArchiveSession) {
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
    return row && sessionOf(row);
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

  /** False where another process renews this version, or has renewed it. */
  async takeRenewal(
    { idHash, version, owner }: RenewalLease,
    nowMs: number,
    untilMs: number,
  ): Promise<boolean> {
    const { numUpdatedRows } = await this.#session.run((db) =>
      db
        .updateTable('session')
        .set({ refresh_owner: owner, refresh_until_ms: untilMs })
        .where('id_hash', '=', idHash)
        .where('version', '=', version)
        .where('refresh_until_ms', '<', nowMs)
        .executeTakeFirst(),
    );
    return numUpdatedRows > 0n;
  }

  /** Replaces the credentials; the renewal is not over. False where the lease is lost or the session has ended. */
  async keepSealed(lease: RenewalLease, sealed: string): Promise<boolean> {
    return this.#update(lease, { sealed });
  }

  /** Ends the renewal with a new version. False where the lease is lost or the session has ended. */
  async renew(lease: RenewalLease, renewed: Pick<ViewerSession, 'sealed' | 'checkedMs'>): Promise<boolean> {
    const { sealed, checkedMs } = renewed;
    const version = lease.version + 1;
    return this.#update(lease, { sealed, checked_ms: checkedMs, version, refresh_until_ms: 0 });
  }

  /** Ends the renewal without a new version, so that another process can try at once. */
  async releaseRenewal(lease: RenewalLease): Promise<void> {
    await this.#update(lease, { refresh_until_ms: 0 });
  }

  async #update(
    { idHash, version, owner }: RenewalLease,
    values: Partial<ArchiveSchema['session']>,
  ): Promise<boolean> {
    const { numUpdatedRows } = await this.#session.run((db) =>
      db
        .updateTable('session')
        .set(values)
        .where('id_hash', '=', idHash)
        .where('version', '=', version)
        .where('refresh_owner', '=', owner)
        .executeTakeFirst(),
    );
    return numUpdatedRows > 0n;
  }

  async end(idHash: string): Promise<void> {
    await this.#session.run((db) => db.deleteFrom('session').where('id_hash', '=', idHash).execute());
  }

  /** Ends those of one browser at the provider, or without `sid` all of the person; returns the hashes of their ids. */
  async endLogins({ issuer, subject, sid, untilMs }: LoginFilter): Promise<readonly string[]> {
    return this.#session.transaction(async (db) => {
      let query = db
        .selectFrom('session')
        .select(['id_hash', 'document'])
        .where('issuer', '=', toColumn(issuer));
      if (subject !== undefined) query = query.where('subject', '=', toColumn(subject));
      if (sid !== undefined) query = query.where('sid', '=', toColumn(sid));
      const rows = await query.execute();
      const ended = rows
        .filter(({ document }) => documentSchema.parse(JSON.parse(document)).signedInMs <= untilMs)
        .map(({ id_hash }) => id_hash);
      for (const ids of chunksOf(ended)) await db.deleteFrom('session').where('id_hash', 'in', ids).execute();
      return ended;
    });
  }
}

function sessionOf(row: Selectable<ArchiveSchema['session']>): ViewerSession {
  const { issuer, subject, sid } = row;
  return {
    idHash: row.id_hash,
    actHash: row.act_hash,
    person: row.person,
    document: row.document,
    sealed: row.sealed,
    seenMs: row.seen_ms,
    expiresMs: row.expires_ms,
    version: row.version,
    checkedMs: row.checked_ms,
    login: issuer === null || subject === null ? null : { issuer, subject, sid },
  };
}

function rowOf(session: ViewerSession) {
  const { login } = session;
  return {
    id_hash: session.idHash,
    act_hash: session.actHash,
    person: toColumn(session.person),
    document: session.document,
    sealed: session.sealed,
    seen_ms: session.seenMs,
    expires_ms: session.expiresMs,
    version: session.version,
    refresh_owner: null,
    refresh_until_ms: 0,
    checked_ms: session.checkedMs,
    issuer: login && toColumn(login.issuer),
    subject: login && toColumn(login.subject),
    sid: login === null || login.sid === null ? null : toColumn(login.sid),
  };
}
