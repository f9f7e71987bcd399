import { setTimeout } from 'node:timers/promises';

/** Time as a parameter, so that tests of waits need not wait. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`; an aborted signal rejects with its reason. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    try {
      await setTimeout(ms, undefined, { signal, ref: false });
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  },
};

/** Does the work, which does not reject, until the signal is aborted, with a pause each time. */
export async function repeat(
  work: () => Promise<void>,
  pauseMs: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await work();
    await clock.sleep(pauseMs, signal).catch(() => undefined);
  }
}
