import 'server-only';
import { AppError } from '@/lib/errors';

const KEPT_MS = 24 * 60 * 60 * 1000;
const ANSWERS_MAX = 1_000;

interface Kept {
  body: string;
  at: number;
  answer: Promise<Response>;
  isPending: boolean;
}

/**
 * The first answers to requests that carry an `Idempotency-Key`: a repeated key gets the first answer, one that comes
 * while the first is still under way waits for it. Answers that ask for another try (429, 5xx) are not kept. In memory:
 * after a restart the precondition of each action is what keeps it from being done twice.
 */
export class RepeatedAnswers {
  readonly #kept = new Map<string, Kept>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** `scope` holds what must be the same (caller, method, path), `body` what may not differ. */
  async once(key: string, scope: string, body: string, first: () => Promise<Response>): Promise<Response> {
    const id = JSON.stringify([scope, key]);
    const known = this.#kept.get(id);
    if (known !== undefined && this.#now() - known.at < KEPT_MS) {
      if (known.body === body) return (await known.answer).clone();
      throw new AppError(
        'idempotency_mismatch',
        'This Idempotency-Key was used before with another body. Use a new key for a new request.',
      );
    }
    return this.#keep(id, body, first);
  }

  get size(): number {
    return this.#kept.size;
  }

  async #keep(id: string, body: string, first: () => Promise<Response>): Promise<Response> {
    const kept: Kept = { body, at: this.#now(), answer: first(), isPending: true };
    this.#kept.delete(id);
    this.#kept.set(id, kept);
    this.#forgetOldest();
    try {
      const answer = await kept.answer;
      if (answer.status === 429 || answer.status >= 500) this.#forget(id, kept);
      return answer.clone();
    } catch (error) {
      this.#forget(id, kept);
      throw error;
    } finally {
      kept.isPending = false;
    }
  }

  #forget(id: string, kept: Kept): void {
    if (this.#kept.get(id) === kept) this.#kept.delete(id);
  }

  #forgetOldest(): void {
    for (const [id, { isPending, at }] of this.#kept) {
      if (this.#kept.size <= ANSWERS_MAX && this.#now() - at < KEPT_MS) return;
      if (!isPending) this.#kept.delete(id);
    }
  }
}
