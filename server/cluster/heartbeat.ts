import 'server-only';
import { AppError } from '@/lib/errors';
import { Backoff } from '@/server/cluster/backoff';
import { raceWith } from '@/server/cluster/race-with';
import type { Clock } from '@/server/shared/clock';
import type { Transport } from '@/server/cluster/transport';

interface HeartbeatOptions {
  readonly transport: Pick<Transport, 'text'>;
  readonly clock: Clock;
  readonly random?: () => number;
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
/** One that is known to need more is slow, not away: it can still be read in the background. */
const SLOW_TIMEOUT_MS = 15_000;
/** After an hour, few expect it back soon, and every cluster that is away would go on costing two probes a minute. */
const LONG_OUTAGE_MS = 3_600_000;
const LONG_OUTAGE_CAP_MS = 300_000;

/**
 * Probes the API server whenever it has been silent for some seconds, and, at growing intervals, until it is back
 * where it was lost. A frozen or silently dropped connection otherwise resembles a quiet one; and while the cluster is
 * away, one probe stands for the attempts of everything that reads it.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #failure: AppError | undefined;
  #unresponsiveSince: number | undefined;
  #backoff: Backoff;
  /** How long the last answer took. */
  #answeredInMs = 0;
  #answered = Promise.withResolvers<void>();
  #endPause: () => void = () => undefined;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#backoff = this.#newBackoff();
  }

  /** Why it counts as silent; undefined while it answers, even with an error. */
  get failure(): AppError | undefined {
    return this.#failure;
  }

  /** Resolves at once while the API server answers, else when it does again. An aborted signal rejects with its reason. */
  async untilAnswered(signal: AbortSignal): Promise<void> {
    while (this.#failure !== undefined) await raceWith(signal, this.#answered.promise);
  }

  /** Ends the wait for the next probe, because others have just lost the API server or heard from it. */
  probeNow(): void {
    this.#endPause();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      await this.#pause(signal);
      if (signal.aborted || this.#isHealthy()) continue;
      if (this.#isUnresponsive()) this.#unresponsiveSince ??= clock.now();
      const failure = await this.#probe(signal);
      if (!signal.aborted) this.#record(failure);
    }
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const pause = new AbortController();
    const end = () => pause.abort();
    signal.addEventListener('abort', end, { once: true });
    this.#endPause = end;
    await this.#options.clock.sleep(this.#nextPauseMs(), pause.signal).catch(() => undefined);
    signal.removeEventListener('abort', end);
  }

  #nextPauseMs(): number {
    if (!this.#isUnresponsive()) {
      this.#backoff = this.#newBackoff();
      return QUIET_MS;
    }
    const now = this.#options.clock.now();
    const isLong = now - (this.#unresponsiveSince ?? now) >= LONG_OUTAGE_MS;
    return this.#backoff.next(isLong ? LONG_OUTAGE_CAP_MS : undefined);
  }

  #newBackoff(): Backoff {
    return new Backoff(this.#options.clock, this.#options.random ?? Math.random);
  }

  #isUnresponsive(): boolean {
    return this.#failure !== undefined || this.#options.isUnreachable();
  }

  #isHealthy(): boolean {
    const { clock, lastContactAt } = this.#options;
    return !this.#isUnresponsive() && clock.now() - lastContactAt() < QUIET_MS;
  }

  #timeoutMs(): number {
    if (this.#failure !== undefined) return SLOW_TIMEOUT_MS;
    return Math.min(Math.max(2 * this.#answeredInMs, TIMEOUT_MS), SLOW_TIMEOUT_MS);
  }

  async #probe(signal: AbortSignal): Promise<AppError | undefined> {
    const { transport, clock, lastContactAt } = this.#options;
    const startedAt = clock.now();
    try {
      await transport.text({
        method: 'GET',
        path: '/version',
        timeoutMs: this.#timeoutMs(),
        mayWait: false,
        hasPriority: true,
        signal,
      });
    } catch (error) {
      const isUnresponsive =
        error instanceof AppError && (error.code === 'cluster_unreachable' || error.code === 'timeout');
      // Any message that arrived during the probe is an answer too.
      if (isUnresponsive && lastContactAt() <= startedAt) return error;
    }
    this.#answeredInMs = clock.now() - startedAt;
    return undefined;
  }

  #record(failure: AppError | undefined): void {
    const { clock, onUnresponsive, onRecovered } = this.#options;
    const isChanged = failure?.message !== this.#failure?.message;
    this.#failure = failure;
    if (failure !== undefined) {
      this.#unresponsiveSince ??= clock.now();
      if (isChanged) onUnresponsive();
      return;
    }
    this.#answered.resolve();
    this.#answered = Promise.withResolvers();
    if (this.#unresponsiveSince === undefined) return;
    const since = this.#unresponsiveSince;
    this.#unresponsiveSince = undefined;
    onRecovered(since);
  }
}
