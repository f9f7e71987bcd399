import 'server-only';
import { AppError } from '@/lib/errors';
import { type Clock } from '@/server/shared/clock';
import { type Transport } from '@/server/cluster/transport';

export interface HeartbeatOptions {
  readonly transport: Pick<Transport, 'text'>;
  readonly clock: Clock;
  /** When others last heard from the API server, in milliseconds since the epoch. */
  readonly lastContactAt: () => number;
  /** Whether others lost the connection to it. */
  readonly isUnreachable: () => boolean;
  /** Called when it falls silent, and when the reason changes. */
  readonly onUnresponsive: () => void;
  /** Called when it is back, with the time of the first miss. */
  readonly onRecovered: (missedSince: number) => void;
}

/** A watch of a quiet cluster is silent for a minute: too long to call a page fresh meanwhile. */
const QUIET_MS = 5_000;
/** A slower answer is no use to a waiting viewer. */
const TIMEOUT_MS = 5_000;
const RETRY_MS = 1_000;

/**
 * Probes the API server whenever it has been silent for some seconds, and until it is back where it was lost.
 * A frozen or silently dropped connection otherwise resembles a quiet one; and a client that lost the server
 * need not wait out a long back-off.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #failure: AppError | undefined;
  #unresponsiveSince: number | undefined;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  /** Why it counts as silent; undefined while it answers, even with an error. */
  get failure(): AppError | undefined {
    return this.#failure;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      await clock.sleep(this.#isUnresponsive() ? RETRY_MS : QUIET_MS, signal).catch(() => undefined);
      if (signal.aborted || this.#isHealthy()) continue;
      if (this.#isUnresponsive()) this.#unresponsiveSince ??= clock.now();
      const failure = await this.#probe(signal);
      if (!signal.aborted) this.#record(failure);
    }
  }

  #isUnresponsive(): boolean {
    return this.#failure !== undefined || this.#options.isUnreachable();
  }

  #isHealthy(): boolean {
    const { clock, lastContactAt } = this.#options;
    return !this.#isUnresponsive() && clock.now() - lastContactAt() < QUIET_MS;
  }

  async #probe(signal: AbortSignal): Promise<AppError | undefined> {
    const { transport, clock, lastContactAt } = this.#options;
    const startedAt = clock.now();
    try {
      await transport.text({ method: 'GET', path: '/version', timeoutMs: TIMEOUT_MS, signal });
    } catch (error) {
      const isUnresponsive =
        error instanceof AppError && (error.code === 'cluster_unreachable' || error.code === 'timeout');
      // Any message that arrived during the probe is an answer too.
      if (isUnresponsive && lastContactAt() <= startedAt) return error;
    }
    return undefined;
  }

  #record(failure: AppError | undefined): void {
    const { clock, onUnresponsive, onRecovered } = this.#options;
    const isChanged = failure?.message !== this.#failure?.message;
    this.#failure = failure;
    if (failure !== undefined) {
      this.#unresponsiveSince ??= clock.now();
      if (isChanged) onUnresponsive();
    } else if (this.#unresponsiveSince !== undefined) {
      const since = this.#unresponsiveSince;
      this.#unresponsiveSince = undefined;
      onRecovered(since);
    }
  }
}
