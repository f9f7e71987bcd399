import 'server-only';
import { AppError } from '@/lib/errors';
import { type Clock } from '@/server/cluster/clock';
import { type Transport } from '@/server/cluster/transport';

export interface HeartbeatOptions {
  readonly transport: Pick<Transport, 'text'>;
  readonly clock: Clock;
  /** When the API server was last heard by others, in milliseconds since the epoch. */
  readonly heardAt: () => number;
  /** Whether others have lost it. */
  readonly isLost: () => boolean;
  /** Called when it falls silent, and when the reason changes. */
  readonly onSilent: () => void;
  /** Called when it is back, with when it was missed first. */
  readonly onBack: (missedSince: number) => void;
}

/** A watch of a quiet cluster says nothing for a minute: too long to go on calling what is shown fresh. */
const QUIET_MS = 5_000;
/** What takes longer than this is no use to somebody who waits. */
const TIMEOUT_MS = 5_000;
const RETRY_MS = 1_000;

/**
 * Asks the API server for a sign of life whenever it has been silent for some seconds, and until it is back where it was
 * lost. A connection that is frozen, or was dropped without a word, looks like a quiet one otherwise; and who has lost
 * it need not wait out a back-off that has grown long.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #failure: AppError | undefined;
  #missedSince: number | undefined;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  /** Why it counts as silent; undefined while it answers, with whatever. */
  get failure(): AppError | undefined {
    return this.#failure;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      await clock.sleep(this.#isMissed() ? RETRY_MS : QUIET_MS, signal).catch(() => undefined);
      if (signal.aborted || this.#isFine()) continue;
      if (this.#isMissed()) this.#missedSince ??= clock.now();
      const failure = await this.#beat(signal);
      if (!signal.aborted) this.#take(failure);
    }
  }

  #isMissed(): boolean {
    return this.#failure !== undefined || this.#options.isLost();
  }

  #isFine(): boolean {
    const { clock, heardAt } = this.#options;
    return !this.#isMissed() && clock.now() - heardAt() < QUIET_MS;
  }

  async #beat(signal: AbortSignal): Promise<AppError | undefined> {
    const { transport, clock, heardAt } = this.#options;
    const askedAt = clock.now();
    try {
      await transport.text({ method: 'GET', path: '/version', timeoutMs: TIMEOUT_MS, signal });
    } catch (error) {
      const isSilent =
        error instanceof AppError && (error.code === 'cluster_unreachable' || error.code === 'timeout');
      // Whatever came while it was asked is an answer too.
      if (isSilent && heardAt() <= askedAt) return error;
    }
    return undefined;
  }

  #take(failure: AppError | undefined): void {
    const { clock, onSilent, onBack } = this.#options;
    const isNews = failure?.message !== this.#failure?.message;
    this.#failure = failure;
    if (failure !== undefined) {
      this.#missedSince ??= clock.now();
      if (isNews) onSilent();
    } else if (this.#missedSince !== undefined) {
      const since = this.#missedSince;
      this.#missedSince = undefined;
      onBack(since);
    }
  }
}
