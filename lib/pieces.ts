import { isJsonObject, type Json } from '@/lib/kube/json';

/** Work that may be long, in pieces that are not: it yields wherever other work may have its turn. */
export type InPieces<Result> = Generator<void, Result, void>;

/** Does it all now. */
export function atOnce<Result>(work: InPieces<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** What one piece may hold: so many members, entries and texts take some 10 ms, whatever is done with them. */
export const PIECE_VALUES = 4_000;

/** Whether it holds more values than one piece may, each list and object with all that is in it. */
export function isLarge(...values: readonly Json[]): boolean {
  return leftOf(values, PIECE_VALUES) < 0;
}

function leftOf(values: readonly (Json | undefined)[], most: number): number {
  let left = most - values.length;
  for (const value of values) {
    if (left < 0) break;
    if (Array.isArray(value)) left = leftOf(value, left);
    else if (isJsonObject(value)) left = leftOf(Object.values(value), left);
  }
  return left;
}

/** Texts take as long as a value for each so many characters. */
const CHARS_IN_A_VALUE = 8;

/** Says when a piece is over, by counting what is done in it. */
export class Pace {
  #left = PIECE_VALUES;

  /** To be asked before each value, of which a list or object counts without what is in it. */
  isOver(value: Json): boolean {
    this.#left -= typeof value === 'string' ? 1 + value.length / CHARS_IN_A_VALUE : 1;
    if (this.#left >= 0) return false;
    this.#left += PIECE_VALUES;
    return true;
  }
}
