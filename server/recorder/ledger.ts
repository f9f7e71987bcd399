import 'server-only';
import { AppError } from '@/lib/errors';
import { type Archive, type Lease } from '@/server/archive/archive';
import { type Clock, systemClock } from '@/server/cluster/clock';
import { Recorder, type RecorderOptions, type RecorderState } from '@/server/recorder/recorder';

export interface LedgerOptions extends Omit<RecorderOptions, 'archive'> {
  /** Rejects with AppError `archive_unavailable`; tried again where `details.retry` says so. */
  open: () => Promise<Archive>;
  /** Told of the archive as soon as it is open. */
  onArchive: (archive: Archive) => void;
}

/** A disk that is mounted late, a database that starts later than Shiplog; one that was merely slow is open at once. */
const RETRY_MIN_MS = 250;
const RETRY_MAX_MS = 5_000;

/**
 * Opens the archive, however long that takes, and records into it. Whatever becomes of it, the cluster is shown all the
 * same.
 */
export class Ledger {
  readonly #options: LedgerOptions;
  readonly #clock: Clock;
  readonly #stopping = new AbortController();
  #archive: Archive | undefined;
  #recorder: Recorder | undefined;
  #opening: Promise<void> | undefined;
  #state: RecorderState;

  constructor(options: LedgerOptions) {
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

  /** Resolves once the archive has been tried for the first time, whatever came of it. */
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
        this.#archive = await this.#options.open();
        if (!signal.aborted) this.#begin(this.#archive);
        return;
      } catch (error) {
        this.#fail(error);
        if (!(error instanceof AppError) || error.details.retry !== true) return;
      } finally {
        onTried();
      }
      await this.#clock.sleep(pauseMs, signal).catch(() => undefined);
    }
  }

  #begin(archive: Archive): void {
    this.#options.onArchive(archive);
    this.#recorder = new Recorder({ ...this.#options, archive });
    this.#recorder.start();
  }

  #fail(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    if (this.#state.reason === reason) return;
    this.#options.log.error('the archive cannot be opened', { reason });
    const since = this.#state.state === 'interrupted' ? this.#state.since : this.#clock.now();
    this.#state = { state: 'interrupted', since, reason };
    this.#options.onState?.(this.#state);
  }
}
