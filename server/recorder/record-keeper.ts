import 'server-only';
import { type RecorderState } from '@/lib/records/recorder-state';
import { AppError, messageOf } from '@/lib/errors';
import { type Archive } from '@/server/archive/archive';
import { type Lease } from '@/server/archive/lease';
import { type OnProgress } from '@/server/archive/open';
import { type Clock, systemClock } from '@/server/shared/clock';
import { Recorder, type RecorderOptions } from '@/server/recorder/recorder';

export interface RecordKeeperOptions extends Omit<RecorderOptions, 'archive'> {
  /** Rejects with AppError `archive_unavailable`; retried where `details.retry` is true. */
  open: (onProgress: OnProgress) => Promise<Archive>;
  /** Receives the archive as soon as it is open. */
  onArchive: (archive: Archive) => void;
}

/** A disk that is mounted late, a database that starts later than Shiplog; one that was merely slow opens at once. */
const RETRY_MIN_MS = 250;
const RETRY_MAX_MS = 5_000;

/** A backfill of this many records takes seconds; with more of them the start does not wait. */
const START_RECORDS_MAX = 5_000;

/** Opens the archive, however long that takes, and records into it. The pages of the cluster work without it. */
export class RecordKeeper {
  readonly #options: RecordKeeperOptions;
  readonly #clock: Clock;
  readonly #stopping = new AbortController();
  #archive: Archive | undefined;
  #recorder: Recorder | undefined;
  #opening: Promise<void> | undefined;
  #state: RecorderState;

  constructor(options: RecordKeeperOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#state = { state: 'starting', since: this.#clock.now(), reason: null };
  }

  get state(): RecorderState {
    return this.#recorder?.state ?? this.#state;
  }

  /** Null while nothing is recorded by this process. */
  get lease(): Lease | null {
    return this.#recorder?.lease ?? null;
  }

  /** Resolves once the first attempt to open the archive has ended, either way, or is known to take minutes. */
  start(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#opening = this.#open(resolve);
    return promise;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#opening;
    await this.#recorder?.stop();
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
        if (!signal.aborted) this.#startRecorder(this.#archive);
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

  #startRecorder(archive: Archive): void {
    this.#options.onArchive(archive);
    this.#recorder = new Recorder({ ...this.#options, archive });
    this.#recorder.start();
  }

  #reportProgress(told: number, total: number): void {
    const isFirst = this.#state.state !== 'starting' || this.#state.reason === null;
    const [done, all] = [told, total].map((count) => count.toLocaleString('en'));
    const reason = `Shiplog is upgrading its records: ${done} of ${all} so far. It shows them and records new rollouts when that is done.`;
    const since = this.#state.state === 'starting' ? this.#state.since : this.#clock.now();
    this.#state = { state: 'starting', since, reason };
    if (!isFirst) return;
    this.#options.log.info('upgrading the records of an earlier version', { records: total });
    this.#options.onState?.(this.#state);
  }

  #reportFailure(error: unknown): void {
    const reason = messageOf(error);
    if (this.#state.reason === reason) return;
    this.#options.log.error('the archive cannot be opened', { reason });
    const since = this.#state.state === 'interrupted' ? this.#state.since : this.#clock.now();
    this.#state = { state: 'interrupted', since, reason };
    this.#options.onState?.(this.#state);
  }
}
