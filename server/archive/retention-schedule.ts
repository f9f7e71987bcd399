import 'server-only';
import { randomUUID } from 'node:crypto';
import { AppError, messageOf } from '@/lib/errors';
import { type LeaseRepository, MAINTENANCE } from '@/server/archive/lease';
import type { ArchiveRetention, RetentionPolicy } from '@/server/archive/retention';
import { type Clock, systemClock } from '@/server/shared/clock';
import type { Logger } from '@/server/shared/log';
import { isoTime } from '@/lib/format/time';

interface ExpiringArchive {
  retention: Pick<ArchiveRetention, 'expire'>;
  leases: Pick<LeaseRepository, 'acquire' | 'release'>;
}

export interface RetentionScheduleOptions {
  /** Null while this process has none, or records nothing into it. */
  archive: () => ExpiringArchive | null;
  retention: RetentionPolicy;
  /** The API server's clock; null where it gives no time. Rejects where it can't be read. */
  serverNow?: () => Promise<number | null>;
  log: Logger;
  clock?: Clock;
}

/** What has expired is days old. The first run is not at the start, when there is enough to do. */
const EXPIRE_MS = 24 * 3_600_000;
const FIRST_MS = 10 * 60_000;
/** After a failure, and while another process is at it. */
const RETRY_MS = 10 * 60_000;

/** A third of the lease. */
const RENEW_MS = 3_000;

/** Two clocks that differ by more are not both right, and expiry can't be undone. */
const CLOCK_SKEW_MAX_MS = 3_600_000;

/** Expires what is old in the archive, of all clusters, once a day: in one process at a time, under a lease of its own. */
export class RetentionSchedule {
  readonly #options: RetentionScheduleOptions;
  readonly #clock: Clock;
  readonly #holder = randomUUID();
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: RetentionScheduleOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  start(): void {
    const { days, perWorkload } = this.#options.retention;
    if (days !== 0 || perWorkload !== 0) this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    for (let pauseMs = FIRST_MS; ;) {
      await this.#clock.sleep(pauseMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      pauseMs = (await this.#expireOnce()) ? EXPIRE_MS : RETRY_MS;
    }
  }

  /** Whether it is done for today. */
  async #expireOnce(): Promise<boolean> {
    const { archive, log } = this.#options;
    const opened = archive();
    if (opened === null) return false;
    try {
      const expired = await this.#expire(opened, await this.#trustedNow());
      if (expired === null) return false;
      const { bodies, series } = expired;
      if (bodies + series > 0) log.info('expired templates and pod counts were deleted', { bodies, series });
      return true;
    } catch (error) {
      if (this.#stopping.signal.aborted) return false;
      const reason = messageOf(error);
      log.warn('expired data could not be deleted; retrying in ten minutes', { reason });
      return false;
    }
  }

  /** Null where another process is at it. */
  async #expire({ leases, retention }: ExpiringArchive, nowMs: number) {
    const lease = await leases.acquire(this.#holder, this.#clock.now(), MAINTENANCE);
    if (lease === null) return null;
    const ended = new AbortController();
    const renewing = this.#renewUntil(leases, ended.signal);
    try {
      return await retention.expire(lease, this.#options.retention, nowMs, this.#stopping.signal);
    } finally {
      ended.abort();
      await renewing;
      await leases.release(lease).catch(() => undefined);
    }
  }

  /** A lease that could not be renewed shows at the next change. */
  async #renewUntil(leases: ExpiringArchive['leases'], ended: AbortSignal): Promise<void> {
    while (!ended.aborted) {
      await this.#clock.sleep(RENEW_MS, ended).catch(() => undefined);
      if (!ended.aborted)
        await leases.acquire(this.#holder, this.#clock.now(), MAINTENANCE).catch(() => undefined);
    }
  }

  /** Throws where the clock of this machine and that of the API server contradict each other. */
  async #trustedNow(): Promise<number> {
    const serverMs = (await this.#options.serverNow?.()) ?? null;
    const localMs = this.#clock.now();
    if (serverMs === null || Math.abs(serverMs - localMs) <= CLOCK_SKEW_MAX_MS) return localMs;
    throw new AppError(
      'internal',
      `The clock of this machine shows ${isoTime(localMs)}, that of the API server ${isoTime(serverMs)}. Nothing expires until they agree: correct the wrong one.`,
    );
  }
}
