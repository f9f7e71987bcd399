import 'server-only';
import { LRUCache } from 'lru-cache';
import { AppError } from '@/lib/errors';
import type { Clock } from '@/server/shared/clock';

interface Refusal {
  readonly atMs: number;
  /** The turn of the client is not before. */
  nextMs: number;
}

/** A request that is held before anything is done for it. */
interface Held {
  go: () => void;
  giveUp: (reason: unknown) => void;
}

/** 5 checks a second and 10 that wait are enough for an office behind one address. */
const INTERVAL_MS = 200;
const HELD_MAX = 10;
const REFUSED_MS = 60_000;
/** A client is a string and two numbers; more networks than this belong to few attackers. */
const CLIENTS_MAX = 10_000;
/** 50 a second for all of them together take a tenth of a core, from however many addresses they come. */
const TURN_MS = 20;
/** Where the process has only a part of a core, they take a tenth of that. */
const BUSY_FACTOR = 9;
const BUSY_MS_MAX = 1_000;
/** A browser that waits longer shows nothing; with an answer it can say why. */
const HELD_MS = 10_000;
const RETRY_MS_MIN = 1_000;

/**
 * The clients that have presented a credential that is not valid in the last minute. What they send with a credential
 * that is not known to be good is held before it costs anything: each client has its rate, all of them together have
 * another, and they take turns.
 */
export class RefusedClients {
  readonly #clock: Clock;
  readonly #refusals = new LRUCache<string, Refusal>({ max: CLIENTS_MAX });
  /** By client, in the order of their turns. */
  readonly #held = new Map<string, Held[]>();
  #isTurning = false;
  #limited = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many were answered that there are too many. */
  get limited(): number {
    return this.#limited;
  }

  get waiting(): number {
    return [...this.#held.values()].reduce((sum, line) => sum + line.length, 0);
  }

  has(client: string): boolean {
    const refusal = this.#refusals.get(client);
    return refusal !== undefined && this.#clock.now() - refusal.atMs < REFUSED_MS;
  }

  add(client: string): void {
    const atMs = this.#clock.now();
    const before = this.has(client) ? this.#refusals.get(client) : undefined;
    this.#refusals.set(client, { atMs, nextMs: before?.nextMs ?? atMs + INTERVAL_MS });
  }

  /** Waits for the next turn of a refused client. Throws AppError `rate_limited`, or the reason of the signal. */
  hold(client: string, signal: AbortSignal): Promise<void> {
    const line = this.#held.get(client) ?? [];
    if (line.length >= HELD_MAX) return Promise.reject(this.limit());
    return new Promise((go, giveUp) => {
      const held = { go, giveUp };
      this.#held.set(client, [...line, held]);
      signal.addEventListener('abort', () => this.#leave(client, held, () => signal.reason), { once: true });
      void this.#clock.sleep(HELD_MS, neverAborted).then(() => this.#leave(client, held, () => this.limit()));
      if (!this.#isTurning) void this.#takeTurns();
    });
  }

  /** The error for a client of whom too many wait. */
  limit(): AppError {
    this.#limited += 1;
    return new AppError(
      'rate_limited',
      'Shiplog did not check who you are: too many sign-ins or tokens from your network address are not valid. Nothing was changed. Try again in a few seconds.',
      { retryAfterMs: Math.max(HELD_MAX * INTERVAL_MS, RETRY_MS_MIN) },
    );
  }

  async #takeTurns(): Promise<void> {
    this.#isTurning = true;
    while (this.#held.size > 0) {
      this.#takeTurn();
      await this.#pause();
    }
    this.#isTurning = false;
  }

  /** A timer that fires late means that the process has more to do than it can: then the others go first. */
  async #pause(): Promise<void> {
    const dueMs = this.#clock.now() + TURN_MS;
    await this.#clock.sleep(TURN_MS, neverAborted);
    const lateMs = this.#clock.now() - dueMs;
    if (lateMs < TURN_MS) return;
    await this.#clock.sleep(Math.min(lateMs * BUSY_FACTOR, BUSY_MS_MAX), neverAborted);
  }

  #takeTurn(): void {
    const now = this.#clock.now();
    for (const [client, [first, ...others]] of this.#held) {
      const refusal = this.#refusals.get(client);
      if (refusal !== undefined && isLater(refusal.nextMs, now)) continue;
      if (refusal !== undefined) refusal.nextMs = now + INTERVAL_MS;
      // The next turn of the client comes after those of all others.
      this.#held.delete(client);
      if (others.length > 0) this.#held.set(client, others);
      first?.go();
      return;
    }
  }

  #leave(client: string, held: Held, reason: () => unknown): void {
    const line = this.#held.get(client) ?? [];
    if (!line.includes(held)) return;
    const others = line.filter((each) => each !== held);
    if (others.length > 0) this.#held.set(client, others);
    else this.#held.delete(client);
    held.giveUp(reason());
  }
}

const neverAborted = new AbortController().signal;

/** Within the interval of one client: a clock that was set back must not hold anyone longer. */
function isLater(nextMs: number, now: number): boolean {
  return nextMs > now && nextMs - now <= INTERVAL_MS;
}
