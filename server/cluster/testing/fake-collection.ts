import { AppError } from '@/lib/errors';
import type { JsonObject } from '@/lib/kube/json';
import { errorOfAnswer } from '@/server/cluster/api-errors';
import type { LineStream, Transport } from '@/server/cluster/transport';
import type { KubeRequest } from '@/server/cluster/kube-request';

interface FakeObject extends JsonObject {
  metadata: { namespace: string; name: string; uid: string; resourceVersion: string };
  spec: { value: number };
}

interface LoggedEvent {
  revision: number;
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  object: FakeObject;
}

/**
 * One collection of an API server as its clients see it, with everything that can fail: lists in pages pinned
 * to a version, watches from a version, compaction, cuts, silence, lost and doubled events.
 */
export class FakeCollection implements Pick<Transport, 'text' | 'stream' | 'server'> {
  readonly server = 'https://fake.example';
  readonly requests: KubeRequest[] = [];
  /** Whether a watch reports an expired version as an event instead of failing to open. */
  expireInStream = false;
  #objects = new Map<string, FakeObject>();
  #revision = 100;
  #uids = 0;
  #events: LoggedEvent[] = [];
  #compacted = 0;
  #snapshots = new Map<number, FakeObject[]>([[100, []]]);
  #watches = new Set<FakeWatch>();
  #failures: AppError[] = [];
  #eventsToDrop = 0;

  get objects(): ReadonlyMap<string, FakeObject> {
    return this.#objects;
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  put(name: string, value: number): void {
    const uid = this.#objects.get(`shop/${name}`)?.metadata.uid ?? `uid-${(this.#uids += 1)}`;
    this.#write(this.#objects.has(`shop/${name}`) ? 'MODIFIED' : 'ADDED', name, uid, value);
  }

  delete(name: string): void {
    const object = this.#objects.get(`shop/${name}`);
    if (object !== undefined) this.#write('DELETED', name, object.metadata.uid, object.spec.value);
  }

  /** The next events reach no watch. */
  dropEvents(count: number): void {
    this.#eventsToDrop = count;
  }

  /** The next requests of any kind fail. */
  fail(...errors: AppError[]): void {
    this.#failures.push(...errors);
  }

  clearFailures(): void {
    this.#failures = [];
    this.#eventsToDrop = 0;
  }

  /** Compacts all versions before the current one. */
  compact(): void {
    this.#compacted = this.#revision;
    this.#events = [];
    this.#snapshots = new Map([[this.#revision, [...this.#objects.values()]]]);
  }

  /** Resets to an older state, as after the restore of a backup of etcd. */
  restore(): void {
    this.#revision -= 50;
    this.compact();
    this.endWatches();
  }

  bookmark(): void {
    const object = { kind: 'Thing', metadata: { resourceVersion: String(this.#revision) } };
    const line = JSON.stringify({ type: 'BOOKMARK', object });
    for (const watch of this.#watches) if (watch.from <= this.#revision) watch.push(line);
  }

  /** Sends the last event once more. */
  repeat(): void {
    const last = this.#events.at(-1);
    if (last !== undefined) for (const watch of this.#watches) watch.push(lineOf(last));
  }

  send(line: string): void {
    for (const watch of this.#watches) watch.push(line);
  }

  endWatches(): void {
    for (const watch of [...this.#watches]) watch.end();
  }

  cutWatches(): void {
    for (const watch of [...this.#watches]) watch.end(resetError());
  }

  /** Connections remain open, and nothing arrives any more. */
  muteWatches(): void {
    for (const watch of this.#watches) watch.muted = true;
  }

  async text(request: KubeRequest): Promise<string> {
    this.#begin(request);
    await Promise.resolve();
    const { limit, continue: token, resourceVersion } = request.query ?? {};
    const [revision = this.#revision, offset = 0] = (token ?? resourceVersion ?? '')
      .split(':')
      .filter((part) => part !== '')
      .map(Number);
    const all = revision === this.#revision ? [...this.#objects.values()] : this.#snapshots.get(revision);
    if (revision > this.#revision) throw statusError(504, 'Timeout', 'Timeout: Too large resource version');
    if (all === undefined) throw expiredError();
    const items = all.slice(offset, limit === undefined ? undefined : offset + Number(limit));
    const more = offset + items.length < all.length;
    return JSON.stringify({
      kind: 'ThingList',
      apiVersion: 'example/v1',
      metadata: {
        resourceVersion: String(revision),
        ...(more ? { continue: `${revision}:${offset + items.length}` } : {}),
      },
      items,
    });
  }

  async stream(request: KubeRequest): Promise<LineStream> {
    this.#begin(request);
    await Promise.resolve();
    const from = Number(request.query?.resourceVersion);
    const watch = new FakeWatch(from, () => this.#watches.delete(watch));
    request.signal?.addEventListener('abort', () => watch.end(), { once: true });
    if (from < this.#compacted) {
      if (!this.expireInStream) throw expiredError();
      watch.push(JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } }));
    }
    this.#watches.add(watch);
    for (const event of this.#events) watch.deliver(event);
    return watch;
  }

  #begin(request: KubeRequest): void {
    request.signal?.throwIfAborted();
    this.requests.push(request);
    const failure = this.#failures.shift();
    if (failure !== undefined) throw failure;
  }

  #write(type: LoggedEvent['type'], name: string, uid: string, value: number): void {
    this.#revision += 1;
    const metadata = { namespace: 'shop', name, uid, resourceVersion: String(this.#revision) };
    const object: FakeObject = { metadata, spec: { value } };
    const key = `shop/${name}`;
    if (type === 'DELETED') this.#objects.delete(key);
    else this.#objects.set(key, object);
    const event: LoggedEvent = { revision: this.#revision, type, object };
    this.#snapshots.set(this.#revision, [...this.#objects.values()]);
    if (this.#eventsToDrop > 0) {
      this.#eventsToDrop -= 1;
      return;
    }
    this.#events.push(event);
    for (const watch of this.#watches) watch.deliver(event);
  }
}

class FakeWatch implements LineStream {
  muted = false;
  readonly #lines: string[] = [];
  readonly #onEnd: () => void;
  #ended = false;
  #error: AppError | undefined;
  #wake: () => void = () => undefined;

  readonly from: number;

  constructor(from: number, onEnd: () => void) {
    this.from = from;
    this.#onEnd = onEnd;
  }

  get lines(): AsyncIterable<string> {
    return this.#read();
  }

  /** A watch from a future version is silent until the collection reaches it. */
  deliver(event: LoggedEvent): void {
    if (event.revision > this.from) this.push(lineOf(event));
  }

  push(line: string): void {
    if (this.muted) return;
    this.#lines.push(line);
    this.#wake();
  }

  end(error?: AppError): void {
    this.#ended = true;
    this.#error = error;
    this.#onEnd();
    this.#wake();
  }

  close(): void {
    this.end();
  }

  async *#read(): AsyncGenerator<string> {
    try {
      for (;;) {
        const line = this.#lines.shift();
        if (line !== undefined) yield line;
        else if (this.#error !== undefined) throw this.#error;
        else if (this.#ended) return;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.close();
    }
  }
}

export function expiredError(): AppError {
  return statusError(410, 'Expired', 'too old resource version');
}

export function resetError(): AppError {
  return new AppError('cluster_unreachable', 'The connection was lost.', { cause: 'ECONNRESET' });
}

export function statusError(status: number, reason: string, message: string): AppError {
  const body = JSON.stringify({ kind: 'Status', code: status, reason, message });
  return errorOfAnswer('https://fake.example', { method: 'GET', path: '/things' }, status, body, undefined);
}

function lineOf({ type, object }: LoggedEvent): string {
  return JSON.stringify({ type, object: { kind: 'Thing', apiVersion: 'example/v1', ...object } });
}

/** The expected content of a store of values. */
export function valuesOf(collection: FakeCollection): Record<string, number> {
  return Object.fromEntries(
    [...collection.objects.values()].map((object) => [`shop/${object.metadata.name}`, object.spec.value]),
  );
}
