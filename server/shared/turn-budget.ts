import { setImmediate as nextTurn } from 'node:timers/promises';

/** Lets a number of tasks through in one turn of the event loop; the others wait for the next turn. */
export class TurnBudget {
  readonly #perTurn: number;
  #left: number;
  #turn: Promise<void> | undefined;

  constructor(perTurn: number) {
    this.#perTurn = perTurn;
    this.#left = perTurn;
  }

  /** Resolves when there is room for one more task. */
  async acquire(): Promise<void> {
    for (;;) {
      this.#turn ??= nextTurn().then(() => {
        this.#turn = undefined;
        this.#left = this.#perTurn;
      });
      if (this.#left > 0) break;
      await this.#turn;
    }
    this.#left -= 1;
  }
}
