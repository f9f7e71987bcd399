import { isJsonObject, type Json } from '@/lib/kube/json';

/** Long work in short slices: it yields wherever other work may run. */
export type Sliced<Result> = Generator<void, Result, void>;

/** Runs it to its end, without a pause. */
export function runToEnd<Result>(work: Sliced<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** The budget of a slice: so many members, entries and texts take some 10 ms, whatever the work. */
const SLICE_VALUES_MAX = 4_000;

/** Whether it holds more values than the budget of a slice, each list and object with all its contents. */
export function exceedsSlice(...values: readonly Json[]): boolean {
  return remainingAfter(values, SLICE_VALUES_MAX) < 0;
}

function remainingAfter(values: readonly (Json | undefined)[], most: number): number {
  let remaining = most - values.length;
  for (const value of values) {
    if (remaining < 0) break;
    if (Array.isArray(value)) remaining = remainingAfter(value, remaining);
    else if (isJsonObject(value)) remaining = remainingAfter(Object.values(value), remaining);
  }
  return remaining;
}

/** Texts take as long as a value for each so many characters. */
const CHARS_PER_VALUE = 8;

/** Shows when a slice is over, by counting the work done in it. */
export class SliceBudget {
  #remaining = SLICE_VALUES_MAX;

  /** To be called before each value; a list or object counts without its contents. */
  isExhausted(value: Json): boolean {
    this.#remaining -= typeof value === 'string' ? 1 + value.length / CHARS_PER_VALUE : 1;
    if (this.#remaining >= 0) return false;
    this.#remaining += SLICE_VALUES_MAX;
    return true;
  }
}
