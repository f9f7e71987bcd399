import { setTimeout as delay } from 'node:timers/promises';

/** What holds soon on a quiet machine may take a busy one a hundred times as long; what never holds fails all the same. */
const PATIENCE_MS = 100_000;

export interface WaitOptions {
  /** Shown when time is up: `checkout is ready`. */
  what: string;
  timeoutMs?: number;
  /** Pause between two questions. */
  everyMs?: number;
  /** Said beside the failure: what was seen last, or the log of a process. */
  detail?: () => string;
}

/**
 * Asks until the answer is neither undefined nor false, and returns it. A thrown error counts as "not yet" and is
 * told when time is up.
 */
export async function waitFor<T>(
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  { what, timeoutMs = PATIENCE_MS, everyMs = 50, detail }: WaitOptions,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  let failure: unknown;
  do {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
      failure = undefined;
    } catch (error) {
      failure = error;
    }
    await delay(everyMs);
  } while (Date.now() < deadline);
  const last = failure instanceof Error ? ` Last error: ${failure.message}` : '';

  throw new Error(
    `Waited ${timeoutMs / 1000} s in vain until ${what}.${last}${detail === undefined ? '' : `\n${detail()}`}`,
  );
}
