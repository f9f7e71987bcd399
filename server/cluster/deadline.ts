/**
 * An abort signal that fires with its parent, on `abort`, or after a time. `AbortSignal.any` with a signal
 * that lives as long as the process would retain every request's signal with it.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #parent: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout;
  #expired = false;

  constructor(timeoutMs: number, parent?: AbortSignal) {
    this.#parent = parent;
    this.#timer = setTimeout(() => {
      this.#expired = true;
      this.abort();
    }, timeoutMs);
    this.#timer.unref();
    if (parent?.aborted === true) this.abort();
    else parent?.addEventListener('abort', this.abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the time ran out. */
  get expired(): boolean {
    return this.#expired;
  }

  readonly abort = (): void => {
    this.release();
    this.#controller.abort(this.#parent?.reason);
  };

  /** Cancels the time limit; the parent still aborts. */
  disarm(): void {
    clearTimeout(this.#timer);
  }

  /** Detaches the time limit and the parent. */
  release(): void {
    this.disarm();
    this.#parent?.removeEventListener('abort', this.abort);
  }
}
