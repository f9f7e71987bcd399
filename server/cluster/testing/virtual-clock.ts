import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '@/server/shared/clock';

interface Sleeper {
  at: number;
  wake: () => void;
}

/** Turns of the event loop after which all work that needs no time is done. */
const TURNS = 12;

/** A clock that moves only on request. */
export class VirtualClock implements Clock {
  #now: number;
  #sleepers: Sleeper[] = [];

  constructor(startMs = 1_000_000) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  /** How many sleepers wait for time to pass. */
  get sleeping(): number {
    return this.#sleepers.length;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // Whole milliseconds, as timers have: the least fraction of one would be lost in a sum with the time of today.
    const sleeper = { at: this.#now + Math.ceil(ms), wake: resolve };
    this.#sleepers.push(sleeper);
    signal.addEventListener(
      'abort',
      () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        reject(signal.reason as Error);
      },
      { once: true },
    );
    return promise;
  }

  /** Runs all work that needs no time. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
  }

  /** Advances the time, waking each sleeper at its own moment. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await this.settle();
    for (;;) {
      const next = this.#sleepers.filter((sleeper) => sleeper.at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#sleepers = this.#sleepers.filter((sleeper) => sleeper !== next);
      this.#now = Math.max(this.#now, next.at);
      next.wake();
      await this.settle();
    }
    this.#now = end;
  }

  /** As {@link advance} in one leap: a sleeper that wakes often wakes once, at its end. */
  async leap(ms: number): Promise<void> {
    await this.settle();
    this.#now += ms;
    const due = this.#sleepers.filter((sleeper) => sleeper.at <= this.#now);
    this.#sleepers = this.#sleepers.filter((sleeper) => sleeper.at > this.#now);
    for (const { wake } of due) wake();
    await this.settle();
  }

  /**
   * Advances the time from one waking to the next until the condition holds. Throws when there is no sleeper
   * and it does not.
   */
  async until(condition: () => boolean): Promise<void> {
    for (let step = 0; step < 1000; step += 1) {
      await this.settle();
      if (condition()) return;
      const next = Math.min(...this.#sleepers.map((sleeper) => sleeper.at));
      if (next === Infinity) throw new Error('Nothing is waiting any more, and the condition does not hold.');
      await this.advance(next - this.#now);
    }
    throw new Error('The condition did not come to hold.');
  }
}
