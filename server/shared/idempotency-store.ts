import 'server-only';
import { LRUCache } from 'lru-cache';
import { AppError } from '@/lib/errors';

const TTL_MS = 24 * 60 * 60 * 1000;
const ANSWERS_MAX = 1_000;

/** Of all answers: one may hold a template of 1 MB twice. */
const BYTES_MAX = 32 * 1024 * 1024;

/** The most that JavaScript allocates for a character of a text. */
const CHAR_BYTES = 2;

interface StoredAnswer {
  /** Of the request. */
  body: string;
  answer: StoredResponse;
}

interface StoredResponse {
  status: number;
  body: string;
  headers: [string, string][];
}

interface Pending {
  body: string;
  answer: Promise<StoredResponse>;
}

/**
 * The first answers to requests that carry an `Idempotency-Key`: a repeated key gets the first answer; while
 * the first is still in progress, it waits for it. Answers that ask for a retry (429, 5xx) are not stored,
 * nor are those of dry runs, which change nothing. In memory: after a restart, and in another process, the
 * archive knows which action a key started (see `findFirstAttempt`), and the precondition of each action
 * prevents a second execution.
 */
export class IdempotencyStore {
  readonly #pending = new Map<string, Pending>();
  readonly #stored: LRUCache<string, StoredAnswer>;

  constructor(now: () => number = Date.now) {
    this.#stored = new LRUCache<string, StoredAnswer>({
      max: ANSWERS_MAX,
      maxSize: BYTES_MAX,
      sizeCalculation: ({ body, answer }) => 1 + CHAR_BYTES * (body.length + answer.body.length),
      ttl: TTL_MS,
      ttlResolution: 0,
      perf: { now },
    });
  }

  /**
   * `scope` holds what must be the same (caller, method, path), `body` what may not differ. `shouldStore` is
   * false for requests that may run again.
   */
  async once(
    key: string,
    scope: string,
    body: string,
    work: () => Promise<Response>,
    shouldStore = true,
  ): Promise<Response> {
    const id = JSON.stringify([scope, key]);
    const known = this.#pending.get(id) ?? this.#stored.get(id);
    if (known === undefined) return responseOf(await this.#begin(id, body, work, shouldStore));
    if (known.body === body) return responseOf(await known.answer);
    throw bodyMismatch();
  }

  get size(): number {
    return this.#stored.size + this.#pending.size;
  }

  async #begin(
    id: string,
    body: string,
    work: () => Promise<Response>,
    shouldStore: boolean,
  ): Promise<StoredResponse> {
    const answer = work().then(answerOf);
    this.#pending.set(id, { body, answer });
    try {
      const done = await answer;
      if (shouldStore && done.status !== 429 && done.status < 500)
        this.#stored.set(id, { body, answer: done });
      return done;
    } finally {
      this.#pending.delete(id);
    }
  }
}

export function bodyMismatch(): AppError {
  return new AppError(
    'idempotency_mismatch',
    'This Idempotency-Key was already used with a different body. Use a new key for a new request.',
  );
}

async function answerOf(response: Response): Promise<StoredResponse> {
  return { status: response.status, body: await response.text(), headers: [...response.headers] };
}

function responseOf({ status, body, headers }: StoredResponse): Response {
  return new Response(body, { status, headers });
}
