import { type Clock } from '@/server/shared/clock';

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** Stops until it is moved from one moment of the seeded history to the next. */
export class SeedClock implements Clock {
  readonly #sleepers = new Set<Sleeper>();
  #now: number;

  constructor(startMs: number) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sleeper = { at: this.#now + ms, wake: resolve };
    this.#sleepers.add(sleeper);
    const abort = () => {
      this.#sleepers.delete(sleeper);
      reject(signal.reason as Error);
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    return promise;
  }

  /** Advances to `ms` since the epoch, never back, and wakes every sleeper that is due. */
  advanceTo(ms: number): void {
    this.#now = Math.max(this.#now, ms);
    for (const sleeper of [...this.#sleepers]) {
      if (sleeper.at > this.#now) continue;
      this.#sleepers.delete(sleeper);
      sleeper.wake();
    }
  }
}
