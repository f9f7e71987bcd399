import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '@/lib/errors';
import type { Json } from '@/lib/kube/json';
import type { KubeRequest } from '@/server/cluster/kube-request';
import { statusError } from '@/server/cluster/testing/fake-collection';
import type { ClusterTransport, LineStream } from '@/server/cluster/transport';
import type { Clock } from '@/server/shared/clock';

/** Undefined: as an API server does. An error: fails with it. A number: answers only after as many milliseconds. */
type Behavior = AppError | number | undefined;

const refused = new AppError('cluster_unreachable', 'The connection was refused.', {
  cause: 'ECONNREFUSED',
});

/** An API server without objects, and the transport to it, the same for everyone; `behave` decides how it answers each request. */
export class FakeApi implements ClusterTransport {
  readonly server = 'https://fake.example';
  readonly serverDateMs = null;
  readonly uid: string;
  /** Paths of all requests; those of watches end with `?watch`. */
  readonly requests: string[] = [];
  behave: (path: string) => Behavior = () => undefined;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  readonly #watches = new Set<(error?: AppError) => void>();

  constructor(clock: Clock, uid = 'uid-1') {
    this.#clock = clock;
    this.uid = uid;
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  get stats() {
    const { requests } = this;
    return {
      ...{ connectionsOpened: 0, connectionsOpen: 0, retries: 0, failures: 0 },
      ...{ requests: requests.length, openStreams: this.#watches.size },
    };
  }

  /** Every request fails and every watch breaks, until {@link comeBack}. */
  goAway(): void {
    this.behave = () => refused;
    this.cutWatches();
  }

  comeBack(): void {
    this.behave = () => undefined;
  }

  cutWatches(): void {
    for (const end of this.#watches) end(refused);
  }

  as(): this {
    return this;
  }

  async json(request: KubeRequest): Promise<Json> {
    await this.#begin(request.path, request);
    if (request.path.endsWith('/selfsubjectreviews')) return { status: { userInfo: { username: 'admin' } } };
    if (request.path.endsWith('/namespaces/kube-system')) return { metadata: { uid: this.uid } };
    if (request.path === '/version') return { gitVersion: 'v1.35.0' };
    throw statusError(404, 'NotFound', 'the server could not find the requested resource');
  }

  async text(request: KubeRequest): Promise<string> {
    await this.#begin(request.path, request);
    return JSON.stringify({ kind: 'List', metadata: { resourceVersion: '1' }, items: [] });
  }

  async stream(request: KubeRequest): Promise<LineStream> {
    await this.#begin(`${request.path}?watch`, request);
    const ended = Promise.withResolvers<void>();
    const end = (error?: AppError) => {
      this.#watches.delete(end);
      if (error === undefined) ended.resolve();
      else ended.reject(error);
    };
    this.#watches.add(end);
    request.signal?.addEventListener('abort', () => end(), { once: true });
    return { lines: linesUntil(ended.promise), close: () => end() };
  }

  close(): Promise<void> {
    this.#closing.abort(new AppError('cluster_unreachable', 'Closed.'));
    for (const end of this.#watches) end();
    return Promise.resolve();
  }

  async #begin(path: string, { signal, timeoutMs = 30_000 }: KubeRequest): Promise<void> {
    (signal ?? this.#closing.signal).throwIfAborted();
    this.requests.push(path);
    const behavior = this.behave(path);
    if (typeof behavior === 'number') {
      await this.#clock.sleep(Math.min(behavior, timeoutMs), signal ?? this.#closing.signal);
      if (behavior > timeoutMs) throw new AppError('timeout', `No answer to ${path}.`);
    } else {
      await nextTurn();
      if (behavior !== undefined) throw behavior;
    }
    signal?.throwIfAborted();
  }
}

async function* linesUntil(ended: Promise<void>): AsyncGenerator<string> {
  await ended;
  yield* [];
}
