import 'server-only';
import { LRUCache } from 'lru-cache';
import { AppError } from '@/lib/errors';

const KEPT_MS = 24 * 60 * 60 * 1000;
const ANSWERS_MAX = 1_000;

/** Of all answers: one may hold a template of 1 MB twice. */
const KEPT_BYTES_MAX = 32 * 1024 * 1024;

/** What JavaScript takes for each character of a text, at most. */
const CHAR_BYTES = 2;

interface Kept {
  /** Of the request. */
  body: string;
  answer: Answer;
}

interface Answer {
  status: number;
  body: string;
  headers: [string, string][];
}

interface Pending {
  body: string;
  answer: Promise<Answer>;
}

/**
 * The first answers to requests that carry an `Idempotency-Key`: a repeated key gets the first answer, one that comes
 * while the first is still in progress waits for it. Answers that ask for another try (429, 5xx) are not kept, nor are
 * those of dry runs, which change nothing. In memory: after a restart, and in another process, the archive knows which
 * action a key began (see `firstOf`), and the precondition of each action keeps it from being done twice.
 */
export class RepeatedAnswers {
  readonly #pending = new Map<string, Pending>();
  readonly #kept: LRUCache<string, Kept>;

  constructor(now: () => number = Date.now) {
    this.#kept = new LRUCache<string, Kept>({
      max: ANSWERS_MAX,
      maxSize: KEPT_BYTES_MAX,
      sizeCalculation: ({ body, answer }) => 1 + CHAR_BYTES * (body.length + answer.body.length),
      ttl: KEPT_MS,
      ttlResolution: 0,
      perf: { now },
    });
  }

  /**
   * `scope` holds what must be the same (caller, method, path), `body` what may not differ. `isKept` is false for what
   * may be done again.
   */
  async once(
    key: string,
    scope: string,
    body: string,
    first: () => Promise<Response>,
    isKept = true,
  ): Promise<Response> {
    const id = JSON.stringify([scope, key]);
    const known = this.#pending.get(id) ?? this.#kept.get(id);
    if (known === undefined) return responseOf(await this.#begin(id, body, first, isKept));
    if (known.body === body) return responseOf(await known.answer);
    throw otherBody();
  }

  get size(): number {
    return this.#kept.size + this.#pending.size;
  }

  async #begin(id: string, body: string, first: () => Promise<Response>, isKept: boolean): Promise<Answer> {
    const answer = first().then(answerOf);
    this.#pending.set(id, { body, answer });
    try {
      const done = await answer;
      if (isKept && done.status !== 429 && done.status < 500) this.#kept.set(id, { body, answer: done });
      return done;
    } finally {
      this.#pending.delete(id);
    }
  }
}

export function otherBody(): AppError {
  return new AppError(
    'idempotency_mismatch',
    'This Idempotency-Key was used before with another body. Use a new key for a new request.',
  );
}

async function answerOf(response: Response): Promise<Answer> {
  return { status: response.status, body: await response.text(), headers: [...response.headers] };
}

function responseOf({ status, body, headers }: Answer): Response {
  return new Response(body, { status, headers });
}
