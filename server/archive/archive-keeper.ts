import 'server-only';
import { AppError, messageOf } from '@/lib/errors';
import type { RecorderState } from '@/lib/records/recorder-state';
import type { Archive } from '@/server/archive/archive';
import type { OnProgress } from '@/server/archive/open';
import { type Clock, systemClock } from '@/server/shared/clock';
import type { Logger } from '@/server/shared/log';

interface ArchiveKeeperOptions {
  /** Rejects with AppError `archive_unavailable`; retried where `details.retry` is true. */
  open: (onProgress: OnProgress) => Promise<Archive>;
  /** Receives the archive as soon as it is open. */
  onArchive: (archive: Archive) => void;
  /** Called when {@link ArchiveKeeper.state} has changed. */
  onState?: () => void;
  log: Logger;
  clock?: Clock;
}

/** A disk that is mounted late, a database that starts later than Shiplog; one that was merely slow opens at once. */
const RETRY_MIN_MS = 250;
const RETRY_MAX_MS = 5_000;

/** A backfill of this many records takes seconds; with more of them the start does not wait. */
const START_RECORDS_MAX = 5_000;

/** Opens the archive, however long that takes. The pages of the cluster work without it. */
export class ArchiveKeeper {
  readonly #options: ArchiveKeeperOptions;
  readonly #clock: Clock;
  readonly #stopping = new AbortController();
  #archive: Archive | null = null;
  #opening: Promise<void> | undefined;
  #isTried = false;
  #state: RecorderState;

  constructor(options: ArchiveKeeperOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#state = { state: 'starting', since: this.#clock.now(), reason: null };
  }

  /** What keeps every recorder from recording, until the archive is open. */
  get state(): RecorderState {
    return this.#state;
  }

  /** Null until it is open. */
  get archive(): Archive | null {
    return this.#archive;
  }

  /** Whether the first attempt to open it has ended: until then no one who is signed in can be known. */
  get isTried(): boolean {
    return this.#isTried;
  }

  /** Resolves once the first attempt to open the archive has ended, either way, or is known to take minutes. */
  start(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#opening = this.#open(() => {
      this.#isTried = true;
      resolve();
    });
    return promise;
  }

  /** To be called once nothing uses the archive any more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#opening;
    await this.#archive?.close();
  }

  async #open(onTried: () => void): Promise<void> {
    const { signal } = this.#stopping;
    for (let pauseMs = RETRY_MIN_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, RETRY_MAX_MS)) {
      try {
        this.#archive = await this.#options.open((told, total) => {
          signal.throwIfAborted();
          if (total <= START_RECORDS_MAX) return;
          this.#reportProgress(told, total);
          onTried();
        });
        if (!signal.aborted) this.#options.onArchive(this.#archive);
        return;
      } catch (error) {
        if (signal.aborted) return;
        this.#reportFailure(error);
        if (!(error instanceof AppError) || error.details.retry !== true) return;
      } finally {
        onTried();
      }
      await this.#clock.sleep(pauseMs, signal).catch(() => undefined);
    }
  }

  #reportProgress(told: number, total: number): void {
    const isFirst = this.#state.state !== 'starting' || this.#state.reason === null;
    const [done, all] = [told, total].map((count) => count.toLocaleString('en'));
    const reason = `Shiplog is upgrading its records: ${done} of ${all} so far. It shows them and records new rollouts when that is done.`;
    const since = this.#state.state === 'starting' ? this.#state.since : this.#clock.now();
    this.#state = { state: 'starting', since, reason };
    if (!isFirst) return;
    this.#options.log.info('upgrading the records of an earlier version', { records: total });
    this.#options.onState?.();
  }

  #reportFailure(error: unknown): void {
    const reason = messageOf(error);
    if (this.#state.reason === reason) return;
    this.#options.log.error('the archive cannot be opened', { reason });
    const since = this.#state.state === 'interrupted' ? this.#state.since : this.#clock.now();
    this.#state = { state: 'interrupted', since, reason };
    this.#options.onState?.();
  }
}
