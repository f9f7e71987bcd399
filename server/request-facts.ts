import 'server-only';
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';

/** What is kept of the request that asked for an action. */
export interface RequestFacts {
  /** Of the page that sent it; null for a program. */
  origin: string | null;
  /** Hash of its `Idempotency-Key`. */
  idempotencyKey: string | null;
}

const noFacts: RequestFacts = { origin: null, idempotencyKey: null };

/** Routes and the start of the process are separate bundles: only globalThis is common to both. */
const slot = Symbol.for('shiplog.requestFacts');
type Slot = { [slot]?: AsyncLocalStorage<RequestFacts> };

/** Runs `work` so that whatever it calls can ask for the request's facts. */
export function withRequestFacts<Result>(request: Request, work: () => Result): Result {
  const key = request.headers.get('idempotency-key');
  const facts: RequestFacts = {
    origin: request.headers.get('origin'),
    idempotencyKey: key === null ? null : createHash('sha256').update(key).digest('hex').slice(0, 32),
  };
  return storage().run(facts, work);
}

export function requestFacts(): RequestFacts {
  return storage().getStore() ?? noFacts;
}

function storage(): AsyncLocalStorage<RequestFacts> {
  return ((globalThis as Slot)[slot] ??= new AsyncLocalStorage());
}
