/** The subscribers of an event. One that throws does not silence the others. */
export class Listeners<Args extends readonly unknown[]> {
  readonly #listeners = new Set<(...args: Args) => void>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Returns the unsubscriber. */
  add(listener: (...args: Args) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  notify(...args: Args): void {
    for (const listener of this.#listeners) {
      try {
        listener(...args);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}
