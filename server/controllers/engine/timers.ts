import type { Clock } from '@/server/shared/clock';

/** Longer sleeps are split: timers of the engine hold 31 bits of milliseconds. */
const SLEEP_MAX_MS = 86_400_000;

/** Entries that are due at a time of the clock, one per id. */
export class Timers {
  readonly #clock: Clock;
  readonly #onDue: (id: string) => void;
  readonly #entries = new Map<string, number>();
  #next: number | undefined;
  #sleep: AbortController | undefined;
  #isStopped = false;

  constructor(clock: Clock, onDue: (id: string) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  /** The time of the earliest entry, in milliseconds since the epoch. */
  get next(): number | undefined {
    return this.#next;
  }

  /** An existing entry with an earlier time remains. */
  set(id: string, at: number): void {
    if (this.#isStopped || (this.#entries.get(id) ?? Infinity) <= at) return;
    this.#entries.set(id, at);
    if (at < (this.#next ?? Infinity)) this.#sleepUntil(at);
  }

  /** Returns and removes all entries that are due. */
  fire(): void {
    const now = this.#clock.now();
    if (this.#isStopped || this.#next === undefined || this.#next > now) return;
    const due = [...this.#entries].filter(([, at]) => at <= now).sort(byTime);
    for (const [id] of due) this.#entries.delete(id);
    this.#sleepUntil(this.#entries.size === 0 ? undefined : Math.min(...this.#entries.values()));
    for (const [id] of due) this.#onDue(id);
  }

  stop(): void {
    this.#isStopped = true;
    this.#entries.clear();
    this.#sleepUntil(undefined);
  }

  #sleepUntil(at: number | undefined): void {
    this.#next = at;
    this.#sleep?.abort();
    this.#sleep = undefined;
    if (at === undefined) return;
    const sleep = new AbortController();
    this.#sleep = sleep;
    const ms = Math.min(Math.max(0, at - this.#clock.now()), SLEEP_MAX_MS);
    this.#clock.sleep(ms, sleep.signal).then(
      () => this.#wake(sleep),
      () => undefined,
    );
  }

  #wake(sleep: AbortController): void {
    if (this.#sleep !== sleep) return;
    if (this.#next !== undefined && this.#next > this.#clock.now()) this.#sleepUntil(this.#next);
    else this.fire();
  }
}

function byTime(a: [string, number], b: [string, number]): number {
  return a[1] - b[1] || (a[0] < b[0] ? -1 : 1);
}
