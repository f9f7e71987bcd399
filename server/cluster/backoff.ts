import type { Clock } from '@/server/shared/clock';

/** The constants of client-go's reflector. */
const FIRST_MS = 800;
const CAP_MS = 30_000;
const FACTOR = 2;
const RESET_AFTER_MS = 120_000;

/**
 * Growing waits between attempts, each between half and all of the current step, so that many clients of one
 * lost server don't return at the same time. It restarts after two quiet minutes.
 */
export class Backoff {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #random: () => number;
  #stepMs = FIRST_MS;
  #endsAt = -Infinity;

  constructor(clock: Pick<Clock, 'now'>, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Milliseconds to wait before the next attempt. */
  next(capMs: number = CAP_MS): number {
    const now = this.#clock.now();
    if (now - this.#endsAt > RESET_AFTER_MS) this.#stepMs = FIRST_MS;
    const stepMs = Math.min(this.#stepMs, capMs);
    const delayMs = stepMs * (0.5 + this.#random() / 2);
    this.#stepMs = Math.min(stepMs * FACTOR, capMs);
    this.#endsAt = now + delayMs;
    return delayMs;
  }
}
