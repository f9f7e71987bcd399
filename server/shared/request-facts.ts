import 'server-only';
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import type { Sender } from '@/lib/api/action';
import { forwardedForOf, peerOf } from '@/server/shared/connections';
import type { Person } from '@/server/shared/viewer';

/** The stored facts of the request for an action. */
interface RequestFacts {
  /** Null outside of a request. */
  sender: Sender | null;
  /** Of the page that sent it; null for a program. */
  origin: string | null;
  /** Hash of its `Idempotency-Key`, a dot, and a hash of the request: its content, author and path. */
  idempotencyKey: string | null;
}

/** Whether two have the same key. */
export function isSameKey(a: string, b: string): boolean {
  return a.split('.')[0] === b.split('.')[0];
}

/** Some proxies; more is no list of them. */
const FORWARDED_CHARS_MAX = 200;

const noFacts: RequestFacts = { sender: null, origin: null, idempotencyKey: null };

/** Routes and the start of the process are separate bundles: only globalThis is common to both. */
const slot = Symbol.for('shiplog.requestFacts');
type Slot = { [slot]?: AsyncLocalStorage<RequestFacts> };

/**
 * Runs `work` so that its callees can read the request's facts; `requestText` is everything that a repeated
 * request has in common.
 */
export function withRequestFacts<Result>(
  request: Request,
  person: Pick<Person, 'login' | 'session'>,
  requestText: string,
  work: () => Result,
): Result {
  const key = request.headers.get('idempotency-key');
  const facts: RequestFacts = {
    sender: senderFacts(request, person),
    origin: request.headers.get('origin'),
    idempotencyKey: key === null ? null : `${hashOf(key)}.${hashOf(requestText)}`,
  };
  return storage().run(facts, work);
}

/** Who sent a request, and from where. */
export function senderFacts(request: Request, { login, session }: Pick<Person, 'login' | 'session'>): Sender {
  return {
    issuer: login?.issuer ?? null,
    subject: login?.subject ?? null,
    session: session ?? null,
    address: peerOf(request) ?? null,
    forwardedFor: forwardedForOf(request)?.slice(0, FORWARDED_CHARS_MAX) ?? null,
  };
}

export function requestFacts(): RequestFacts {
  return storage().getStore() ?? noFacts;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

function storage(): AsyncLocalStorage<RequestFacts> {
  return ((globalThis as Slot)[slot] ??= new AsyncLocalStorage());
}
