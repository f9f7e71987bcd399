/** Collects the keys of changed objects and reports them at most once per turn of the event loop. */
export class ChangeQueue<Key> {
  readonly #changed = new Map<string, Key>();
  readonly #report: (keys: readonly Key[]) => void;
  readonly #settle: (() => void) | undefined;
  #isScheduled = false;

  /** `settle` may add more keys just before each report; it must not throw. */
  constructor(report: (keys: readonly Key[]) => void, settle?: () => void) {
    this.#report = report;
    this.#settle = settle;
  }

  /** One `id` is reported once, with its last key. */
  add(id: string, key: Key): void {
    this.#changed.set(id, key);
    this.schedule();
  }

  /** Reports soon, also if nothing is added until then. */
  schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#settle?.();
      this.#isScheduled = false;
      const keys = [...this.#changed.values()];
      this.#changed.clear();
      this.#report(keys);
    });
  }
}
