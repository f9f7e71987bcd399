import { type JsonObject } from '@/lib/kube/json';
import { ApiStatus, expired } from '@/server/sandbox/api/api-status';
import { resourceName } from '@/server/sandbox/api/resource-kind';
import { type OpenWatch } from '@/server/sandbox/api/watch-streams';

/** What goes wrong. */
export type Fault =
  /** Answers with a Status: 429 with `retryAfterSeconds`, 500, 503, … */
  | { readonly kind: 'status'; readonly code: number; readonly retryAfterSeconds?: number }
  /** 410: what the client knows is forgotten. A watch hears it as its first line. */
  | { readonly kind: 'expired' }
  /** Begins to answer only after a while. */
  | { readonly kind: 'latency'; readonly ms: number }
  /** Breaks off after so many bytes; a watch in the middle of a line. */
  | { readonly kind: 'truncate'; readonly bytes: number }
  /** Tears the connection without an answer. */
  | { readonly kind: 'reset' }
  /** Of a watch: a change is not told, told twice, or told after the next one. */
  | { readonly kind: 'lost-event' }
  | { readonly kind: 'duplicate-event' }
  | { readonly kind: 'reordered-events' };

/** Whom it hits; what is not stated does not matter. */
export interface FaultScope {
  readonly verbs?: readonly string[];
  /** As `deployments.apps`. */
  readonly resources?: readonly string[];
  readonly namespaces?: readonly string[];
  readonly users?: readonly string[];
}

/** What a request is about, as far as a fault cares. */
export interface FaultTarget {
  readonly verb: string;
  readonly resource: string;
  readonly namespace: string;
  readonly user: string;
}

export interface ActiveFault {
  readonly id: number;
  readonly fault: Fault;
  readonly scope: FaultScope;
  /** How often it will still happen; Infinity until it is removed. */
  readonly remaining: number;
  readonly hits: number;
}

interface Entry {
  id: number;
  fault: Fault;
  scope: FaultScope;
  remaining: number;
  hits: number;
}

const REASONS: Readonly<Record<number, string>> = {
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};
const WORDS: Readonly<Record<number, string>> = {
  429: 'the server has received too many requests and has asked us to try again later',
  500: 'Internal error occurred: rehearsed',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted',
};

/** Faults that are rehearsed now. */
export class Faults {
  readonly #entries: Entry[] = [];
  readonly #held = new Map<number, JsonObject>();
  #count = 0;

  /** Lets something go wrong `times` times from now on. Returns what removes it. */
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

  /** Everything works again. */
  clear(): void {
    this.#entries.length = 0;
  }

  get active(): ActiveFault[] {
    return this.#entries.map((entry) => ({ ...entry }));
  }

  /** Whether a fault of that kind hits the target now; it counts as having happened. */
  take<K extends Fault['kind']>(kind: K, target: FaultTarget): (Fault & { kind: K }) | undefined {
    const entry = this.#entries.find(
      ({ fault, scope, remaining }) => fault.kind === kind && remaining > 0 && covers(scope, target),
    );
    if (entry === undefined) return undefined;
    entry.remaining -= 1;
    entry.hits += 1;

    return entry.fault as Fault & { kind: K };
  }

  /** Throws the ApiStatus that a fault puts in place of the answer. */
  refuse(target: FaultTarget): void {
    const status = this.take('status', target);
    if (status !== undefined) throw statusOf(status.code, status.retryAfterSeconds);
    // A watch is told on its stream, as upstream does.
    if (target.verb !== 'watch' && this.take('expired', target) !== undefined)
      throw expired('The resourceVersion for the provided list is too old.');
  }

  /** Puts itself between a watch and its lines. */
  filter(watch: OpenWatch, line: JsonObject, send: (line: JsonObject) => void): void {
    const target = targetOf(watch);
    const isChange = line.type === 'ADDED' || line.type === 'MODIFIED' || line.type === 'DELETED';
    if (!isChange) return this.#release(watch.id, [line], send);
    if (this.take('lost-event', target) !== undefined) return;
    if (this.#held.has(watch.id)) return this.#release(watch.id, [line], send);
    if (this.take('reordered-events', target) !== undefined) {
      this.#held.set(watch.id, line);
      return;
    }
    send(line);
    if (this.take('duplicate-event', target) !== undefined) send(line);
  }

  /** Sends the lines, and then the one that was held back for them. */
  #release(id: number, lines: JsonObject[], send: (line: JsonObject) => void): void {
    const held = this.#held.get(id);
    this.#held.delete(id);
    lines.forEach(send);
    if (held !== undefined) send(held);
  }
}

export function targetOf(watch: OpenWatch): FaultTarget {
  return {
    verb: 'watch',
    resource: resourceName(watch.kind),
    namespace: watch.namespace,
    user: watch.user,
  };
}

export function covers(
  { verbs, resources, namespaces, users }: FaultScope,
  { verb, resource, namespace, user }: FaultTarget,
): boolean {
  return (
    (verbs === undefined || verbs.includes(verb)) &&
    (resources === undefined || resources.includes(resource)) &&
    (namespaces === undefined || namespaces.includes(namespace)) &&
    (users === undefined || users.includes(user))
  );
}

function statusOf(code: number, retryAfter: number | undefined): ApiStatus {
  const details = retryAfter === undefined ? {} : { retryAfterSeconds: retryAfter };

  return new ApiStatus(code, REASONS[code] ?? '', WORDS[code] ?? `rehearsed: ${code}`, details, retryAfter);
}
