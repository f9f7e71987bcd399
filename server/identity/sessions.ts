import 'server-only';
import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { AppError } from '@/lib/errors';
import type {
  LoginFilter,
  ProviderLogin,
  RenewalLease,
  ViewerSession,
  ViewerSessionRepository,
} from '@/server/archive/viewer-sessions';
import { withTimeout } from '@/server/archive/with-timeout';
import { hashOf } from '@/server/identity/hash';
import type { Seal } from '@/server/identity/seal';
import type { SessionCookie, SessionValues } from '@/server/identity/session-cookies';
import type { UnverifiedChecks } from '@/server/identity/unverified-checks';
import type { Clock } from '@/server/shared/clock';
import type { Carrier } from '@/server/shared/connections';

/** How long a session lives without use, and in total. */
interface SessionTimes {
  idleMs: number;
  totalMs: number;
}

interface SessionsOptions {
  repository: () => ViewerSessionRepository | null;
  seal: Seal;
  times: SessionTimes;
  clock: Clock;
  /** For cookies that this process has not found in the archive yet. */
  checks: UnverifiedChecks;
}

/** What a session is about, as its identity stores it. */
interface SessionContent {
  /** The id of the person. */
  person: string;
  /** Shown in lists of sessions; no secret. */
  document: object;
  /** Encrypted in the archive. */
  secret: object;
  /** The end that the credential itself has, in milliseconds since the epoch. */
  endsMs: number | null;
  /** Where an identity provider has signed the person in. */
  login?: ProviderLogin;
}

export interface FoundSession {
  /** For the audit: a part of the hash of its value. */
  name: string;
  secret: unknown;
  /** Whether the request may act. */
  canAct: boolean;
  /** Goes up with each renewal. */
  version: number;
  /** When the person was last confirmed, in milliseconds since the epoch. */
  checkedMs: number;
}

interface Cached {
  readMs: number;
  /** Undefined after its end here. */
  row: ViewerSession | undefined;
}

const NAME_CHARS = 16;
/** A session that ended in another process counts no longer than this. */
const CACHE_MS = 5_000;
const CACHED_MAX = 5_000;
/** A database that is cut off may not even refuse; rollbacks must not wait for it. */
const READ_TIMEOUT_MS = 2_000;
/** The last use is written no more often than this. */
const TOUCH_MS = 60_000;
/** A renewal takes two requests of 5 s at most; where its process dies, another one takes over after this. */
export const RENEWAL_MS = 15_000;

/** The sessions of browsers, in the archive; a copy in memory spares most reads, and survives an outage of the archive. */
export class Sessions {
  readonly #options: SessionsOptions;
  /** Of sessions that exist, or have ended here: no cookie that someone made up removes one. */
  readonly #cache = new LRUCache<string, Cached>({ max: CACHED_MAX });
  /** When the archive was last read for a session that it does not have. */
  readonly #missingMs = new LRUCache<string, number>({ max: CACHED_MAX });

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** Begins one. Throws AppError `archive_unavailable`. */
  async begin(content: SessionContent): Promise<SessionValues> {
    const { seal, times, clock } = this.#options;
    const values = { id: newValue(), act: newValue() };
    const now = clock.now();
    const row: ViewerSession = {
      idHash: hashOf(values.id),
      actHash: hashOf(values.act),
      person: content.person,
      document: JSON.stringify({ ...content.document, startedMs: now, endsMs: content.endsMs }),
      sealed: seal.seal(JSON.stringify(content.secret)),
      seenMs: now,
      expiresMs: Math.min(now + times.idleMs, endOf(content.endsMs, now, times)),
      version: 0,
      checkedMs: now,
      login: content.login ?? null,
    };
    await this.#repository().save(row, now);
    this.#cache.set(row.idHash, { readMs: now, row });
    return values;
  }

  /**
   * The session of a request with this cookie. Undefined where there is none, or none any more; `isFresh`: past the copy
   * in memory. Throws AppError `archive_unavailable` where that is unknown, and `rate_limited` where many of the client
   * wait.
   */
  async find(request: Carrier, cookie: SessionCookie, isFresh = false): Promise<FoundSession | undefined> {
    const { act } = cookie;
    const now = this.#options.clock.now();
    const row = await this.#read(request, cookie, isFresh);
    if (row === undefined || row.expiresMs < now) return undefined;
    const secret = this.#options.seal.open(row.sealed);
    if (secret === undefined) return undefined;
    this.#touch(row, now);
    const canAct = act !== undefined && hashOf(act) === row.actHash;
    const { idHash, version, checkedMs } = row;
    return { name: idHash.slice(0, NAME_CHARS), secret: JSON.parse(secret), canAct, version, checkedMs };
  }

  /** Whether there is no reason to doubt a cookie: its session was found, or it is Shiplog's own and was not missed. */
  knows({ id, isOurs }: SessionCookie): boolean {
    const idHash = hashOf(id);
    const cached = this.#cache.get(idHash);
    return cached === undefined ? isOurs && !this.#missingMs.has(idHash) : cached.row !== undefined;
  }

  /** The right to renew a version, for 15 s; undefined where another request has it, or has renewed it. */
  async takeRenewal(id: string, version: number): Promise<RenewalLease | undefined> {
    const lease = { idHash: hashOf(id), version, owner: newValue() };
    const now = this.#options.clock.now();
    const taking = this.#repository().takeRenewal(lease, now, now + RENEWAL_MS);
    return (await withTimeout(taking, READ_TIMEOUT_MS)) ? lease : undefined;
  }

  /** Stores what the provider has already given, before the rest of the renewal. */
  async keepSecret(lease: RenewalLease, secret: object): Promise<void> {
    await this.#repository().keepSealed(lease, this.#options.seal.seal(JSON.stringify(secret)));
  }

  /** Ends the renewal: the person is confirmed. Without effect where the session has ended meanwhile. */
  async renew(lease: RenewalLease, secret: object): Promise<void> {
    const { seal, clock } = this.#options;
    const renewed = { sealed: seal.seal(JSON.stringify(secret)), checkedMs: clock.now() };
    const isRenewed = await this.#repository().renew(lease, renewed);
    const row = this.#cache.get(lease.idHash)?.row;
    if (!isRenewed || row === undefined) this.#cache.delete(lease.idHash);
    else
      this.#cache.set(lease.idHash, {
        readMs: renewed.checkedMs,
        row: { ...row, ...renewed, version: lease.version + 1 },
      });
  }

  async releaseRenewal(lease: RenewalLease): Promise<void> {
    await this.#repository().releaseRenewal(lease);
  }

  async end(id: string): Promise<void> {
    const idHash = hashOf(id);
    this.#cache.set(idHash, { readMs: Infinity, row: undefined });
    await this.#repository().end(idHash);
  }

  /** Ends those of one browser at an identity provider, or without `sid` all of the person. */
  async endLogins(filter: LoginFilter): Promise<void> {
    for (const idHash of await this.#repository().endLogins(filter)) this.#cache.delete(idHash);
  }

  async #read(
    request: Carrier,
    { id, isOurs }: SessionCookie,
    isFresh: boolean,
  ): Promise<ViewerSession | undefined> {
    const idHash = hashOf(id);
    const cached = this.#cache.get(idHash);
    const ageMs = this.#options.clock.now() - (cached?.readMs ?? this.#missingMs.get(idHash) ?? -Infinity);
    if (!isFresh && ageMs < CACHE_MS) return cached?.row;
    if (cached?.row !== undefined) return this.#reread(idHash, cached.row);
    return this.#options.checks.run({ request, key: `session ${idHash}`, isOurs }, () =>
      this.#readArchive(idHash),
    );
  }

  async #reread(idHash: string, known: ViewerSession): Promise<ViewerSession | undefined> {
    try {
      return await this.#readArchive(idHash);
    } catch {
      // An outage of the archive signs no one out, and one request in a while waits for it.
      this.#cache.set(idHash, { readMs: this.#options.clock.now(), row: known });
      return known;
    }
  }

  async #readArchive(idHash: string): Promise<ViewerSession | undefined> {
    const now = this.#options.clock.now();
    const row = await withTimeout(this.#repository().find(idHash, now), READ_TIMEOUT_MS);
    if (row === undefined) {
      this.#cache.delete(idHash);
      this.#missingMs.set(idHash, now);
    } else this.#cache.set(idHash, { readMs: now, row });
    return row;
  }

  #touch(row: ViewerSession, now: number): void {
    const { times } = this.#options;
    if (now - row.seenMs < TOUCH_MS) return;
    const { startedMs, endsMs } = JSON.parse(row.document) as { startedMs: number; endsMs: number | null };
    row.seenMs = now;
    row.expiresMs = Math.min(now + times.idleMs, endOf(endsMs, startedMs, times));
    // Without it the session ends a little earlier than it could.
    this.#options
      .repository()
      ?.touch(row.idHash, row.seenMs, row.expiresMs)
      .catch(() => undefined);
  }

  #repository(): ViewerSessionRepository {
    const repository = this.#options.repository();
    if (repository !== null) return repository;
    throw new AppError(
      'archive_unavailable',
      'The archive is unavailable, and sessions are stored there. Try again when it is back.',
    );
  }
}

function endOf(endsMs: number | null, startedMs: number, { totalMs }: SessionTimes): number {
  return Math.min(endsMs ?? Infinity, startedMs + totalMs);
}

export function newValue(): string {
  return randomBytes(32).toString('base64url');
}
