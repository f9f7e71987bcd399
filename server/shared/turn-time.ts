import { setImmediate as nextTurn } from 'node:timers/promises';
import { Semaphore } from '@/server/shared/semaphore';

/** Runs one task after the other, in the order of their arrival, and lets other work in between after some time. */
export class TurnTime {
  readonly #ms: number;
  readonly #now: () => number;
  readonly #one = new Semaphore(1);
  #turn: Promise<void> | undefined;
  #endsAt = 0;

  /** `ms`: once a turn of the event loop has taken so long, the next task waits for the next turn. */
  constructor(ms: number, now: () => number = () => performance.now()) {
    this.#ms = ms;
    this.#now = now;
  }

  /** A task must not wait for another one of the same kind. */
  run<Result>(task: () => Promise<Result>): Promise<Result> {
    return this.#one.run(async () => {
      if (this.#turn !== undefined && this.#now() >= this.#endsAt) await this.#turn;
      this.#turn ??= this.#begin();
      return task();
    });
  }

  async #begin(): Promise<void> {
    this.#endsAt = this.#now() + this.#ms;
    await nextTurn();
    this.#turn = undefined;
  }
}
