import { Semaphore } from '@/server/shared/semaphore';

/**
 * The places of one cluster among the first lists of a process. It asks for one at a time, so that clusters take
 * turns, and for none while it is away: lists that wait for a slow API server delay those of others by one place.
 */
export class FirstLists {
  readonly #shared: Semaphore;
  readonly #own = new Semaphore(1);
  readonly #untilAnswered: (signal: AbortSignal) => Promise<void>;

  constructor(shared: Semaphore, untilAnswered: (signal: AbortSignal) => Promise<void>) {
    this.#shared = shared;
    this.#untilAnswered = untilAnswered;
  }

  /** Waits for a place; returns what gives it back, any number of times. An aborted signal rejects with its reason. */
  async acquire(signal: AbortSignal): Promise<() => void> {
    const leave = await this.#own.acquire(signal);
    try {
      await this.#untilAnswered(signal);
      const release = await this.#shared.acquire(signal);
      return () => {
        release();
        leave();
      };
    } catch (error) {
      leave();
      throw error;
    }
  }
}
