import 'server-only';
import { AppError } from '@/lib/errors';
import { type Clock } from '@/server/cluster/clock';
import { type Transport } from '@/server/cluster/transport';

export interface HeartbeatOptions {
  readonly transport: Pick<Transport, 'text'>;
  readonly clock: Clock;
  /** When the API server was last heard by others, in milliseconds since the epoch. */
  readonly heardAt: () => number;
  /** Called when it falls silent, and when the reason changes. */
  readonly onSilent: () => void;
  /** Called when it is back, with when it fell silent. */
  readonly onBack: (silentSince: number) => void;
}

/** A watch of a quiet cluster says nothing for a minute: too long to go on calling what is shown fresh. */
const QUIET_MS = 5_000;
/** What takes longer than this is no use to somebody who waits. */
const TIMEOUT_MS = 5_000;
const RETRY_MS = 1_000;

/**
 * Asks the API server for a sign of life whenever it has been silent for some seconds. A connection that is frozen, or
 * was dropped without a word, looks like a quiet one otherwise.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #failure: AppError | undefined;
  #silentSince = 0;

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
      await clock.sleep(this.#failure === undefined ? QUIET_MS : RETRY_MS, signal).catch(() => undefined);
      if (!signal.aborted) this.#turn(this.#wasHeard() ? undefined : await this.#beat(signal), signal);
    }
  }

  #wasHeard(): boolean {
    const { clock, heardAt } = this.#options;
    return clock.now() - heardAt() < QUIET_MS;
  }

  async #beat(signal: AbortSignal): Promise<AppError | undefined> {
    try {
      await this.#options.transport.text({ method: 'GET', path: '/version', timeoutMs: TIMEOUT_MS, signal });
    } catch (error) {
      const isSilent =
        error instanceof AppError && (error.code === 'cluster_unreachable' || error.code === 'timeout');
      // Whatever came while it was asked is an answer too.
      if (isSilent && !this.#wasHeard()) return error;
    }
    return undefined;
  }

  #turn(failure: AppError | undefined, signal: AbortSignal): void {
    const before = this.#failure;
    if (signal.aborted || before?.message === failure?.message) return;
    const { clock, onSilent, onBack } = this.#options;
    this.#failure = failure;
    if (before === undefined) this.#silentSince = clock.now();
    if (failure === undefined) onBack(this.#silentSince);
    else onSilent();
  }
}
