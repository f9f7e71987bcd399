import { setTimeout as sleep } from 'node:timers/promises';

/** Time as a parameter, so that waiting can be tested without waiting. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`; an aborted signal rejects with its reason. */
  delay(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  delay: async (ms, signal) => {
    try {
      await sleep(ms, undefined, { signal, ref: false });
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  },
};
