import 'server-only';
import { AppError } from '@/lib/errors';
import { type Archive, type Lease, type RetentionPolicy } from '@/server/archive/archive';
import { type Clock } from '@/server/cluster/clock';
import { type Logger } from '@/server/log';

export interface RetentionOptions {
  archive: Pick<Archive, 'expire'>;
  retention: RetentionPolicy;
  /** What the API server's clock says; null where it does not tell. Rejects where it can't be asked. */
  serverNow?: () => Promise<number | null>;
  log: Logger;
  clock: Clock;
}

/** What the policy no longer keeps is days old. The first time is not at the start, when there is enough to do. */
const EXPIRE_MS = 24 * 3_600_000;
const FIRST_MS = 10 * 60_000;
/** After a failure. */
const RETRY_MS = 10 * 60_000;

/** Two clocks that differ by more are not both right, and what is let go of is gone for good. */
const CLOCKS_APART_MS = 3_600_000;

/** Lets the archive expire what is old, beside everything else that its holder does: the lease is renewed meanwhile. */
export class Retention {
  readonly #options: RetentionOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #dueAt: number;

  constructor(options: RetentionOptions) {
    this.#options = options;
    this.#dueAt = options.clock.now() + FIRST_MS;
  }

  /** To be called by the holder of the lease, again and again. Returns at once. */
  look(lease: Lease): void {
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
      const { bodies, series } = await archive.expire(lease, retention, now, signal);
      this.#dueAt = clock.now() + EXPIRE_MS;
      if (bodies + series > 0) log.info('the archive let go of what is old', { bodies, series });
    } catch (error) {
      if (signal.aborted) return;
      const reason = error instanceof Error ? error.message : String(error);
      log.warn('the archive keeps what is old for now, and looks again in ten minutes', { reason });
    }
  }

  /** Throws where the clock of this machine and that of the API server contradict each other. */
  async #trustedNow(): Promise<number> {
    const { clock, serverNow } = this.#options;
    const theirs = (await serverNow?.()) ?? null;
    const ours = clock.now();
    if (theirs === null || Math.abs(theirs - ours) <= CLOCKS_APART_MS) return ours;
    throw new AppError(
      'internal',
      `The clock of this machine says ${timeOf(ours)}, that of the API server ${timeOf(theirs)}. Nothing expires until they agree: set the one that is wrong.`,
    );
  }
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
