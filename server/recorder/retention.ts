import 'server-only';
import { AppError, messageOf } from '@/lib/errors';
import { type Lease } from '@/server/archive/lease';
import { type ArchiveRetention, type RetentionPolicy } from '@/server/archive/retention';
import { type Clock } from '@/server/shared/clock';
import { type Logger } from '@/server/shared/log';
import { isoTime } from '@/lib/format/time';

export interface RetentionOptions {
  archive: { retention: Pick<ArchiveRetention, 'expire'> };
  retention: RetentionPolicy;
  /** The API server's clock; null where it gives no time. Rejects where it can't be read. */
  serverNow?: () => Promise<number | null>;
  log: Logger;
  clock: Clock;
}

/** What has expired is days old. The first run is not at the start, when there is enough to do. */
const EXPIRE_MS = 24 * 3_600_000;
const FIRST_MS = 10 * 60_000;
/** After a failure. */
const RETRY_MS = 10 * 60_000;

/** Two clocks that differ by more are not both right, and expiry can't be undone. */
const CLOCK_SKEW_MAX_MS = 3_600_000;

/** Expires what is old in the archive, next to the holder's other work: the lease is renewed meanwhile. */
export class Retention {
  readonly #options: RetentionOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #dueAt: number;

  constructor(options: RetentionOptions) {
    this.#options = options;
    this.#dueAt = options.clock.now() + FIRST_MS;
  }

  /** To be called periodically by the holder of the lease. Returns at once. */
  expireWhenDue(lease: Lease): void {
    const { retention, clock } = this.#options;
    const isEndless = retention.days === 0 && retention.perWorkload === 0;
    if (isEndless || this.#running !== undefined || clock.now() < this.#dueAt) return;
    this.#running = this.#run(lease).finally(() => (this.#running = undefined));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(lease: Lease): Promise<void> {
    const { archive, retention, log, clock } = this.#options;
    const { signal } = this.#stopping;
    this.#dueAt = clock.now() + RETRY_MS;
    try {
      const now = await this.#trustedNow();
      const { bodies, series } = await archive.retention.expire(lease, retention, now, signal);
      this.#dueAt = clock.now() + EXPIRE_MS;
      if (bodies + series > 0) log.info('expired templates and pod counts were deleted', { bodies, series });
    } catch (error) {
      if (signal.aborted) return;
      const reason = messageOf(error);
      log.warn('expired data could not be deleted; retrying in ten minutes', { reason });
    }
  }

  /** Throws where the clock of this machine and that of the API server contradict each other. */
  async #trustedNow(): Promise<number> {
    const { clock, serverNow } = this.#options;
    const serverMs = (await serverNow?.()) ?? null;
    const localMs = clock.now();
    if (serverMs === null || Math.abs(serverMs - localMs) <= CLOCK_SKEW_MAX_MS) return localMs;
    throw new AppError(
      'internal',
      `The clock of this machine shows ${isoTime(localMs)}, that of the API server ${isoTime(serverMs)}. Nothing expires until they agree: correct the wrong one.`,
    );
  }
}
