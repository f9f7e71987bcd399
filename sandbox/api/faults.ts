import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import type { JsonObject } from '@/lib/kube/json';
import { ApiStatus, expired } from '@/sandbox/api/objects/api-status';
import { type ResourceKind, resourceName } from '@/sandbox/api/objects/resource-kind';

export const faultSchema = z.discriminatedUnion('kind', [
  /** Answers with a Status: 429 with `retryAfterSeconds`, 500, 503, … */
  z.object({
    kind: z.literal('status'),
    code: z.int().min(400).max(599),
    retryAfterSeconds: z.number().nonnegative().optional(),
  }),
  /** 410: the client's resource version has expired. A watch gets it as its first line. */
  z.object({ kind: z.literal('expired') }),
  /** Delays the response. */
  z.object({ kind: z.literal('latency'), ms: z.number().nonnegative() }),
  /** Aborts the response after so many bytes; a watch in the middle of a line. */
  z.object({ kind: z.literal('truncate'), bytes: z.int().nonnegative() }),
  /** Breaks the connection without a response. */
  z.object({ kind: z.literal('reset') }),
  /** Of a watch: a change is dropped, sent twice, or sent after the next one. */
  z.object({ kind: z.literal('lost-event') }),
  z.object({ kind: z.literal('duplicate-event') }),
  z.object({ kind: z.literal('reordered-events') }),
]);
export type Fault = z.infer<typeof faultSchema>;

const names = z.array(z.string()).readonly();
/** The requests that it affects; what is not given matches all. Resources as `deployments.apps`. */
export const scopeSchema = z
  .object({ verbs: names, resources: names, namespaces: names, users: names })
  .partial()
  .strict();
export type FaultScope = z.infer<typeof scopeSchema>;

/** The properties of a request that faults match. */
export interface FaultTarget {
  readonly verb: string;
  readonly resource: string;
  readonly namespace: string;
  readonly user: string;
}

/** An open watch, as faults see it. */
export interface OpenWatch {
  readonly user: string;
  readonly kind: ResourceKind;
  readonly namespace: string;
  /** Ends it properly, or breaks the connection. */
  close(how: 'end' | 'reset'): void;
  /** Sends a message that is no change. */
  write(line: JsonObject): void;
}

interface Entry {
  id: number;
  fault: Fault;
  scope: FaultScope;
  /** How often it will still occur; Infinity until it is removed. */
  remaining: number;
  hits: number;
}

/** Reason and message, by code. */
const STATUSES: Readonly<Record<number, readonly [reason: string, message: string]>> = {
  429: ['TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
  500: ['InternalError', 'Internal error occurred: rehearsed'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: ['Timeout', 'the server was unable to return a response in the time allotted'],
};

/** The active faults. */
export class Faults {
  readonly #entries: Entry[] = [];
  readonly #delayedLines = new WeakMap<OpenWatch, JsonObject>();
  #count = 0;

  /** Injects a fault that occurs `times` times. Returns what removes it. */
  add(fault: Fault, scope: FaultScope = {}, times = Infinity): () => void {
    this.#count += 1;
    const entry = { id: this.#count, fault, scope, remaining: times, hits: 0 };
    this.#entries.push(entry);
    return () => this.remove(entry.id);
  }

  remove(id: number): void {
    const index = this.#entries.findIndex((entry) => entry.id === id);
    if (index >= 0) this.#entries.splice(index, 1);
  }

  /** Removes all faults. */
  clear(): void {
    this.#entries.length = 0;
  }

  get active(): readonly Readonly<Entry>[] {
    return this.#entries;
  }

  /** Whether a fault of that kind affects the target now; this counts as one occurrence. */
  consume<K extends Fault['kind']>(kind: K, target: FaultTarget): (Fault & { kind: K }) | undefined {
    const entry = this.#entries.find(
      ({ fault, scope, remaining }) => fault.kind === kind && remaining > 0 && covers(scope, target),
    );
    if (entry === undefined) return undefined;
    entry.remaining -= 1;
    entry.hits += 1;
    return entry.fault as Fault & { kind: K };
  }

  /** Throws the ApiStatus that a fault answers instead. */
  refuse(target: FaultTarget): void {
    const status = this.consume('status', target);
    if (status !== undefined) throw statusOf(status.code, status.retryAfterSeconds);
    // A watch gets the error on its stream, as upstream does.
    if (target.verb !== 'watch' && this.consume('expired', target) !== undefined)
      throw expired('The resourceVersion for the provided list is too old.');
  }

  /** Intercepts the lines of a watch. */
  filter(watch: OpenWatch, line: JsonObject, send: (line: JsonObject) => void): void {
    const target = targetOf(watch);
    const isChange = line.type === 'ADDED' || line.type === 'MODIFIED' || line.type === 'DELETED';
    if (isChange && this.consume('lost-event', target) !== undefined) return;
    const delayed = this.#delayedLines.get(watch);
    if (isChange && delayed === undefined && this.consume('reordered-events', target) !== undefined) {
      this.#delayedLines.set(watch, line);
      return;
    }
    send(line);
    this.#delayedLines.delete(watch);
    if (delayed !== undefined) send(delayed);
    else if (isChange && this.consume('duplicate-event', target) !== undefined) send(line);
  }
}

export function targetOf({ kind, namespace, user }: OpenWatch): FaultTarget {
  return { verb: 'watch', resource: resourceName(kind), namespace, user };
}

export function covers(scope: FaultScope, { verb, resource, namespace, user }: FaultTarget): boolean {
  const pairs = [
    [scope.verbs, verb],
    [scope.resources, resource],
    [scope.namespaces, namespace],
    [scope.users, user],
  ] as const;
  return pairs.every(([covered, value]) => covered?.includes(value) ?? true);
}

function statusOf(code: number, retryAfter: number | undefined): ApiStatus {
  const [reason, message] = STATUSES[code] ?? ['', `rehearsed: ${code}`];
  const details = retryAfter === undefined ? {} : { retryAfterSeconds: retryAfter };
  return new ApiStatus(code, reason, message, details, retryAfter);
}

/** Aborts a response after so many bytes of its body, and breaks the connection. */
export function breakOffAfter(response: ServerResponse, bytes: number): void {
  let left = bytes;
  const write = response.write.bind(response) as (chunk: Buffer, done: () => void) => boolean;
  const cut = (chunk: Buffer | string): boolean => {
    const part = Buffer.from(chunk).subarray(0, left);
    left -= part.length;
    return write(part, () => {
      if (left <= 0) response.destroy();
    });
  };
  response.write = cut as ServerResponse['write'];
  response.end = ((chunk: Buffer | string = '') => {
    cut(chunk);
    if (left > 0) response.destroy();
    return response;
  }) as ServerResponse['end'];
}
