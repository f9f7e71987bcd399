import { AppError } from '@/lib/errors';
import type { Clock } from '@/server/shared/clock';
import type { ObjectKey } from '@/server/cluster/reflector-store';
import type { Logger } from '@/server/shared/log';
import { Timers } from '@/server/controllers/engine/timers';

/** Brings one object to its desired state, from its current state alone. */
export type Sync = (key: ObjectKey) => Promise<void>;

/** The keys that one controller has to reconcile. */
export interface Worklist {
  add(key: ObjectKey): void;
  /** The earlier of two times for a key counts. */
  addAfter(key: ObjectKey, ms: number): void;
}

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** How many keys are processed at once. */
  readonly workers: number;
  /**
   * Called before each key. With it the controller that was registered last comes first, and each takes its
   * keys in their order, so that the outcome does not depend on which of several watches was quicker.
   */
  readonly beforeEach: (() => Promise<void>) | undefined;
  /** Called after each key. */
  readonly afterEach: () => Promise<void>;
}

/** Of workqueue.DefaultTypedControllerRateLimiter. https://pkg.go.dev/k8s.io/client-go/util/workqueue */
const BACKOFF_FIRST_MS = 5;
const BACKOFF_CAP_MS = 1_000_000;

/**
 * The keys of several controllers. A key waits once however often it is added, is never processed twice at a
 * time, and returns after a growing wait when it failed.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #timers: Timers;
  readonly #syncs: Sync[] = [];
  readonly #waiting = new Set<string>();
  readonly #running = new Set<string>();
  /** Added while they were processed. */
  readonly #again = new Set<string>();
  readonly #failures = new Map<string, number>();
  #workers: Promise<void>[] = [];
  #isStopped = false;
  #wakeWorkers: () => void = () => undefined;
  #wakeIdle: () => void = () => undefined;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    this.#timers = new Timers(options.clock, (id) => this.#add(id));
  }

  /** Milliseconds since the epoch at which the next key comes up by itself. */
  get nextTimer(): number | undefined {
    return this.#timers.next;
  }

  /** Nothing waits, runs or is due. */
  get isEmpty(): boolean {
    return this.#waiting.size + this.#running.size === 0;
  }

  register(sync: Sync): Worklist {
    // Two digits, so that ids sort in the order of registration.
    const prefix = `${(this.#syncs.push(sync) + 9).toString()}:`;
    return {
      add: (key) => this.#add(prefix + key),
      addAfter: (key, ms) => this.#timers.set(prefix + key, this.#options.clock.now() + ms),
    };
  }

  start(): void {
    this.#workers = Array.from({ length: this.#options.workers }, () => this.#work());
  }

  /** Resolves when nothing waits, runs or is due any more, or the queue was stopped. */
  async drained(): Promise<void> {
    this.#timers.fire();
    while (!this.isEmpty && !this.#isStopped) {
      await new Promise<void>((resolve) => (this.#wakeIdle = chain(this.#wakeIdle, resolve)));
      this.#timers.fire();
    }
  }

  /** Resolves when the running keys are done; the others are left alone. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timers.stop();
    this.#wake();
    await Promise.all(this.#workers);
    this.#wakeIdle();
  }

  #add(id: string): void {
    if (this.#isStopped) return;
    if (this.#running.has(id)) this.#again.add(id);
    else this.#waiting.add(id);
    this.#wake();
  }

  #wake(): void {
    const wake = this.#wakeWorkers;
    this.#wakeWorkers = () => undefined;
    wake();
  }

  async #work(): Promise<void> {
    while (!this.#isStopped) {
      if (this.#waiting.size === 0)
        await new Promise<void>((resolve) => (this.#wakeWorkers = chain(this.#wakeWorkers, resolve)));
      else await this.#workOnNext();
    }
  }

  async #workOnNext(): Promise<void> {
    await this.#options.beforeEach?.();
    if (this.#isStopped) return;
    const id = this.#next();
    if (id === undefined) return;
    this.#waiting.delete(id);
    await this.#handle(id);
  }

  #next(): string | undefined {
    let next: string | undefined;
    for (const id of this.#waiting) {
      if (this.#options.beforeEach === undefined) return id;
      if (next === undefined || isBefore(id, next)) next = id;
    }
    return next;
  }

  async #handle(id: string): Promise<void> {
    this.#running.add(id);
    try {
      await this.#syncs[Number(id.slice(0, 2)) - 10]?.(id.slice(3));
      this.#failures.delete(id);
    } catch (error) {
      if (!this.#isStopped) this.#retry(id, error);
    }
    await this.#options.afterEach();
    this.#running.delete(id);
    if (this.#again.delete(id)) this.#add(id);
    const wake = this.#wakeIdle;
    this.#wakeIdle = () => undefined;
    wake();
  }

  #retry(id: string, error: unknown): void {
    const failures = this.#failures.get(id) ?? 0;
    this.#failures.set(id, failures + 1);
    const waitMs = Math.min(BACKOFF_FIRST_MS * 2 ** failures, BACKOFF_CAP_MS);
    this.#timers.set(id, this.#options.clock.now() + waitMs);
    const isExpected = error instanceof AppError && error.code === 'conflict';
    const level = isExpected ? 'debug' : 'warn';
    this.#options.log[level]('A controller failed and will retry.', { key: id.slice(3), waitMs, error });
  }
}

function isBefore(a: string, b: string): boolean {
  const [mine, theirs] = [a.slice(0, 2), b.slice(0, 2)];
  return mine === theirs ? a < b : mine > theirs;
}

function chain(first: () => void, second: () => void): () => void {
  return () => {
    first();
    second();
  };
}
