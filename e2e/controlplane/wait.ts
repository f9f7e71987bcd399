import { setTimeout as delay } from 'node:timers/promises';

/** A busy machine may take a hundred times as long as a quiet one; a condition that never holds fails all the same. */
const TIMEOUT_MS = 100_000;

interface WaitOptions {
  /** Shown on a timeout: `checkout is ready`. */
  what: string;
  timeoutMs?: number;
  /** Pause between two attempts. */
  everyMs?: number;
  /** Added to the failure: the last result, or the log of a process. */
  detail?: () => string;
}

/**
 * Calls until the result is neither undefined nor false, and returns it. A thrown error counts as "not yet" and is
 * reported on a timeout.
 */
export async function waitFor<T>(
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  { what, timeoutMs = TIMEOUT_MS, everyMs = 50, detail }: WaitOptions,
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

/** Calls until the result is that text; the last other one is reported on a timeout. */
export async function waitForText(what: string, ask: () => Promise<string>, expected: string): Promise<void> {
  let last = '';
  await waitFor(async () => (last = await ask()) === expected, {
    what: `${what} ${expected}`,
    detail: () => `There is ${last}.`,
  });
}
