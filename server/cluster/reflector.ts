import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '@/lib/errors';
import type { KubeObject } from '@/lib/kube/object';
import { errorOfStatus, isExpired, isFromFuture, retryAfterMsOf } from '@/server/cluster/api-errors';
import { Backoff } from '@/server/cluster/backoff';
import { type Clock, systemClock } from '@/server/shared/clock';
import { readPages } from '@/server/cluster/list-pages';
import type { FirstLists } from '@/server/cluster/first-lists';
import type { ObjectList } from '@/server/cluster/object-list';
import {
  keyOf,
  type ObjectKey,
  type ReflectorChange,
  ReflectorStore,
} from '@/server/cluster/reflector-store';
import type { LineStream, Transport } from '@/server/cluster/transport';
import { parseWatchEvent, type WatchEvent } from '@/server/cluster/watch-event';
import { type Logger, silentLogger } from '@/server/shared/log';

/**
 * `unserved`: the cluster does not serve the kind. Both it and `forbidden` are tried again at growing
 * intervals.
 */
type ReflectorPhase = 'listing' | 'watching' | 'retrying' | 'forbidden' | 'unserved' | 'stopped';

/** All times in milliseconds since the epoch; undefined: never yet. */
export interface ReflectorState {
  readonly phase: ReflectorPhase;
  /** When the phase began. */
  readonly since: number;
  /** Whether one complete list has been read; from then on the store is complete, though perhaps old. */
  readonly synced: boolean;
  readonly lastSyncAt: number | undefined;
  /** The last time the API server was heard from: an answer, an event or a bookmark. */
  readonly lastContactAt: number | undefined;
  readonly resourceVersion: string | undefined;
  /** Since when no watch is open, so that changes may have been missed; undefined while one is. */
  readonly unfollowedSince: number | undefined;
  /** Why the phase is retrying, forbidden or unserved. */
  readonly error: AppError | undefined;
  /** Objects that failed to ingest since the start. */
  readonly ingestFailures: number;
}

export interface ReflectorOptions<T> {
  readonly transport: Pick<Transport, 'text' | 'stream' | 'server'>;
  /** Collection, cluster-wide or of one namespace, e.g. `/apis/apps/v1/deployments`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly pageSize?: number;
  /** Requests names, labels and managed fields only: the content of an object is never read. */
  readonly metadataOnly?: boolean;
  /**
   * Turns an object into the stored value. Called for every state that is new to the store, the last one of a
   * deletion too. What it throws is logged and counted; the object is skipped until its next version.
   */
  readonly ingest: (object: KubeObject) => T;
  readonly onChange?: (change: ReflectorChange<T>) => void;
  /** Called when phase, synced or error change, and when a watch opens or ends; not for each contact. */
  readonly onState?: (state: ReflectorState) => void;
  /**
   * How often the store is compared with the API server's own list, in case an event was lost. Default 10
   * min.
   */
  readonly compareEveryMs?: number;
  /** What the first list waits for a place among, and no later one. Default: it waits for nothing. */
  readonly firstLists?: Pick<FirstLists, 'acquire'> | undefined;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly log?: Logger;
}

const PAGE_SIZE = 500;
/** A page of the biggest objects on a busy API server. */
const LIST_TIMEOUT_MS = 60_000;
/** Of a list in one piece: half of what a string can hold. */
const LIST_BYTES_MAX = 256 * 1024 ** 2;
/** How many objects are ingested before others get their turn. */
const OBJECTS_PER_TURN = 50;
/** Bookmarks arrive about once a minute; 90 s of silence mean that the watch is dead. */
const WATCH_SILENCE_MS = 90_000;
/** A watch that ends sooner is as good as rejected. */
const WATCH_SHORTEST_MS = 1_000;
const REFUSED_CAP_MS = 60_000;
const RETRY_AFTER_MAX_MS = 60_000;
/** This many resumes may fail with an answer before a new list replaces them. */
const RESUMES_MAX = 3;
const LISTS_PAGED_MAX = 3;
/** A list that gets no page for so long waits for its API server, and keeps no place from others that could work. */
const PLACE_SILENCE_MS = 3_000;
const COMPARE_EVERY_MS = 600_000;
/** Names, uids, versions and who wrote them. https://kubernetes.io/docs/reference/using-api/api-concepts/#metadata-only-fetches */
const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const METADATA_EVENTS = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
/** Where only versions are compared, complete objects will do as well. */
const METADATA_PREFERRED = `${METADATA_LIST},application/json`;

/**
 * Keeps a store equal to a collection of the API server: one paged list, then a watch that is resumed,
 * reopened or replaced by a new list as needed. After
 * https://github.com/kubernetes/client-go/blob/master/tools/cache/reflector.go
 */
export class Reflector<T> {
  readonly path: string;
  readonly #options: ReflectorOptions<T>;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #compareEveryMs: number;
  readonly #log: Logger;
  readonly #backoff: Backoff;
  /** Apart, since an expired version does not mean that the API server is unreachable. */
  readonly #relists: Backoff;
  readonly #store: ReflectorStore<T>;
  #state: ReflectorState;
  #mustList = true;
  /** Consecutive failures that were answers of the API server, since the last message of a watch. */
  #refusals = 0;
  #verifiedAt = 0;
  #endPause: () => void = () => undefined;
  #endAttempt: () => void = () => undefined;
  #running: { controller: AbortController; done: Promise<void> } | undefined;

  constructor(options: ReflectorOptions<T>) {
    this.path = options.path;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#compareEveryMs = options.compareEveryMs ?? COMPARE_EVERY_MS;
    this.#log = options.log ?? silentLogger;
    this.#backoff = new Backoff(this.#clock, this.#random);
    this.#relists = new Backoff(this.#clock, this.#random);
    this.#store = new ReflectorStore({
      ingest: options.ingest,
      onChange: options.onChange ?? (() => undefined),
      onFailure: (key, error) => this.#countFailure(key, error),
    });
    this.#state = {
      phase: 'stopped',
      since: this.#clock.now(),
      synced: false,
      lastSyncAt: undefined,
      lastContactAt: undefined,
      resourceVersion: undefined,
      unfollowedSince: this.#clock.now(),
      error: undefined,
      ingestFailures: 0,
    };
  }

  get state(): ReflectorState {
    return this.#state;
  }

  /** Live: the same map for as long as the reflector exists. */
  get store(): ReadonlyMap<ObjectKey, T> {
    return this.#store.values;
  }

  start(): void {
    if (this.#running !== undefined) return;
    const controller = new AbortController();
    this.#running = { controller, done: this.#run(controller.signal) };
  }

  /** Ends the watch; resolves when no request is pending any more. The store keeps its content. */
  async stop(): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    running.controller.abort();
    await running.done;
    if (this.#running === running) this.#running = undefined;
  }

  /** Removes every object, each with a change; for a reflector that will not start again. */
  clear(): void {
    this.#store.retain(new Set());
  }

  /** Ends the wait for the next attempt, because the API server was heard from elsewhere. */
  retryNow(): void {
    if (this.#state.phase === 'retrying') this.#endPause();
  }

  /** Repeats the list or resumes the watch on another connection, because the current one may have died silently. */
  reopen(): void {
    this.#endAttempt();
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#untilReopened(signal, (attempt) =>
          this.#mustList ? this.#listInTurn(attempt) : this.#watch(attempt),
        );
      } catch (error) {
        if (!signal.aborted) await this.#recover(asAppError(error), signal);
      }
    }
    this.#enter('stopped', undefined);
  }

  async #untilReopened(signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const attempt = new AbortController();
    const end = () => attempt.abort(signal.reason);
    signal.addEventListener('abort', end, { once: true });
    this.#endAttempt = end;
    try {
      await work(attempt.signal);
    } catch (error) {
      if (signal.aborted || !attempt.signal.aborted) throw error;
    } finally {
      this.#endAttempt = () => undefined;
      signal.removeEventListener('abort', end);
    }
  }

  async #listInTurn(signal: AbortSignal): Promise<void> {
    const { firstLists } = this.#options;
    if (firstLists === undefined || this.#state.synced) return this.#list(signal);
    const release = await firstLists.acquire(signal);
    const ended = new AbortController();
    void this.#releaseWhenSilent(release, ended.signal);
    try {
      await this.#list(signal);
    } finally {
      ended.abort();
      release();
    }
  }

  async #releaseWhenSilent(release: () => void, signal: AbortSignal): Promise<void> {
    const begunAt = this.#clock.now();
    try {
      for (;;) {
        const silentMs = this.#clock.now() - Math.max(begunAt, this.#state.lastContactAt ?? 0);
        if (silentMs >= PLACE_SILENCE_MS) break;
        await this.#clock.sleep(PLACE_SILENCE_MS - silentMs, signal);
      }
      release();
    } catch {
      // The list ended before.
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    // While it fails, the phase keeps reporting that.
    if (this.#state.error === undefined) this.#enter('listing', undefined);
    for (let attempt = 1; ; attempt += 1) {
      try {
        // As a last resort in one piece, which can't expire halfway.
        const limit = attempt < LISTS_PAGED_MAX ? (this.#options.pageSize ?? PAGE_SIZE) : undefined;
        await this.#listOnce(limit, signal);
        return;
      } catch (error) {
        if (!isExpired(error) || attempt >= LISTS_PAGED_MAX) throw error;
      }
    }
  }

  async #listOnce(limit: number | undefined, signal: AbortSignal): Promise<void> {
    const listedKeys = new Set<ObjectKey>();
    let resourceVersion = '';
    for await (const page of this.#pages(limit, {}, undefined, signal)) {
      this.#enter('listing', undefined);
      for (const [index, item] of page.items.entries()) {
        if (index % OBJECTS_PER_TURN === 0) await nextTurn();
        signal.throwIfAborted();
        listedKeys.add(this.#store.put(item));
      }
      resourceVersion = page.resourceVersion;
    }
    this.#store.retain(listedKeys);
    this.#mustList = false;
    this.#refusals = 0;
    this.#verifiedAt = this.#clock.now();
    this.#update({ resourceVersion, synced: true, lastSyncAt: this.#clock.now() });
  }

  #pages(
    limit: number | undefined,
    query: Readonly<Record<string, string>>,
    accept: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<ObjectList> {
    return readPages(async (token, onBegin, pagesSignal) => {
      const text = await this.#options.transport.text({
        method: 'GET',
        path: this.path,
        query: {
          ...this.#options.query,
          limit: limit?.toString(),
          // Only the first page requests a version; the token of the others implies it.
          ...(token === undefined ? query : { continue: token }),
        },
        accept: accept ?? (this.#options.metadataOnly === true ? METADATA_LIST : 'application/json'),
        timeoutMs: LIST_TIMEOUT_MS,
        maxBytes: LIST_BYTES_MAX,
        signal: AbortSignal.any([signal, pagesSignal]),
        onBegin,
      });
      this.#recordContact();
      return text;
    });
  }

  /** Returns when the watch ended in a way that only needs the next one. */
  async #watch(signal: AbortSignal): Promise<void> {
    const openedAt = this.#clock.now();
    const session = new AbortController();
    const end = () => session.abort();
    signal.addEventListener('abort', end, { once: true });
    try {
      const stream = await this.#openWatch(session.signal);
      this.#recordContact();
      this.#enter('watching', undefined, { unfollowedSince: undefined });
      void this.#closeWhenSilent(stream, session.signal);
      void this.#compareRegularly(stream, session.signal);
      for await (const line of stream.lines) {
        this.#recordContact();
        this.#apply(parseWatchEvent(line));
      }
    } finally {
      signal.removeEventListener('abort', end);
      end();
      this.#update({ unfollowedSince: this.#state.unfollowedSince ?? this.#clock.now() });
    }
    const tooShort = this.#clock.now() - openedAt < WATCH_SHORTEST_MS;
    if (tooShort && !signal.aborted) await this.#pause(this.#backoff.next(), signal);
  }

  #openWatch(signal: AbortSignal): Promise<LineStream> {
    return this.#options.transport.stream({
      method: 'GET',
      path: this.path,
      query: {
        ...this.#options.query,
        watch: '1',
        allowWatchBookmarks: 'true',
        resourceVersion: this.#state.resourceVersion,
        // Between five and ten minutes, so that not all watches of all clients end together.
        timeoutSeconds: Math.round(300 * (1 + this.#random())).toString(),
      },
      ...(this.#options.metadataOnly === true && { accept: METADATA_EVENTS }),
      mayWait: false,
      signal,
    });
  }

  #apply(event: WatchEvent): void {
    switch (event.type) {
      case 'put':
        this.#assertForward(event.object.metadata.resourceVersion);
        this.#store.put(event.object);
        this.#advanceTo(event.object.metadata.resourceVersion);
        return;
      case 'remove':
        this.#assertForward(event.object.metadata.resourceVersion);
        this.#store.remove(event.object);
        this.#advanceTo(event.object.metadata.resourceVersion);
        return;
      case 'bookmark':
        this.#assertForward(event.resourceVersion);
        this.#advanceTo(event.resourceVersion);
        return;
      case 'error':
        throw errorOfStatus(this.#options.transport.server, { method: 'GET', path: this.path }, event.status);
      case 'unusable':
        this.#countFailure(this.path, new Error('The watch event is not an object.'));
        return;
      default: {
        const unknown: never = event;
        throw new AppError('internal', `Unknown watch event: ${JSON.stringify(unknown)}`);
      }
    }
  }

  /**
   * A watch sends changes in their order; one that does not, be it after a restore or by a fault of the
   * network, could leave an older state in the store permanently.
   */
  #assertForward(resourceVersion: string): void {
    if (!isBefore(resourceVersion, this.#state.resourceVersion)) return;
    throw new AppError('cluster_error', 'The API server returned an older resource version.', {
      reason: 'Expired',
    });
  }

  /** A connection that a load balancer dropped silently resembles a quiet one. */
  async #closeWhenSilent(stream: LineStream, signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        const silentMs = this.#clock.now() - (this.#state.lastContactAt ?? 0);
        if (silentMs >= WATCH_SILENCE_MS) break;
        await this.#clock.sleep(WATCH_SILENCE_MS - silentMs, signal);
      }
      this.#log.debug('A watch was silent and is being reopened.', { path: this.path });
      // Not even bookmarks: perhaps it waits for a version that a restored API server has not reached again.
      this.#verifiedAt = Math.min(this.#verifiedAt, this.#clock.now() - this.#compareEveryMs);
      stream.close();
    } catch {
      // The watch ended by itself.
    }
  }

  /** At once where the last comparison is long ago; one that fails is repeated when the next is due. */
  async #compareRegularly(stream: LineStream, signal: AbortSignal): Promise<void> {
    let waitMs = this.#verifiedAt + this.#compareEveryMs - this.#clock.now();
    try {
      for (;;) {
        if (waitMs > 0) await this.#clock.sleep(waitMs, signal);
        await this.#verify(stream, signal);
        waitMs = this.#compareEveryMs;
      }
    } catch {
      // The watch ended by itself.
    }
  }

  /**
   * Compares the store with the API server's list at the store's own version, so that any difference proves a
   * lost event; then a new list repairs it.
   * https://kubernetes.io/docs/reference/using-api/api-concepts/#the-resourceversion-parameter
   */
  async #verify(stream: LineStream, signal: AbortSignal): Promise<void> {
    const { resourceVersion } = this.#state;
    if (!resourceVersion) return;
    const expected = this.#store.versions();
    const query = { resourceVersion, resourceVersionMatch: 'Exact' };
    try {
      for await (const page of this.#pages(
        this.#options.pageSize ?? PAGE_SIZE,
        query,
        METADATA_PREFERRED,
        signal,
      )) {
        for (const { metadata } of page.items) {
          const key = keyOf({ metadata });
          const stored = expected.get(key);
          if (stored?.uid !== metadata.uid || stored.resourceVersion !== metadata.resourceVersion) {
            this.#relist(stream, key);
            return;
          }
          expected.delete(key);
        }
      }
      const [extra] = expected.keys();
      if (extra !== undefined) this.#relist(stream, extra);
      this.#verifiedAt = this.#clock.now();
    } catch (error) {
      if (isFromFuture(error)) this.#relist(stream, this.path);
      // That version may be compacted already.
      else if (!signal.aborted)
        this.#log.debug('The cache could not be compared with the API server.', { path: this.path, error });
    }
  }

  #relist(stream: LineStream, key: ObjectKey): void {
    this.#log.warn('The cache differs from the API server; listing everything again.', {
      path: this.path,
      key,
    });
    this.#mustList = true;
    stream.close();
  }

  async #recover(error: AppError, signal: AbortSignal): Promise<void> {
    const fromWatch = !this.#mustList;
    if (fromWatch && isExpired(error)) {
      this.#mustList = true;
      this.#enter('listing', undefined);
      await this.#pause(this.#relists.next(), signal);
      return;
    }
    if (isRefusal(error)) this.#refusals += 1;
    if (this.#refusals >= RESUMES_MAX) this.#mustList = true;
    const refused = error.code === 'forbidden' || error.code === 'not_found';
    this.#enter(refused ? (error.code === 'forbidden' ? 'forbidden' : 'unserved') : 'retrying', error);
    const retryAfterMs = Math.min(retryAfterMsOf(error) ?? 0, RETRY_AFTER_MAX_MS);
    await this.#pause(
      Math.max(this.#backoff.next(refused ? REFUSED_CAP_MS : undefined), retryAfterMs),
      signal,
    );
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    const pause = new AbortController();
    const end = () => pause.abort();
    signal.addEventListener('abort', end, { once: true });
    this.#endPause = end;
    await this.#clock.sleep(ms, pause.signal).catch(() => undefined);
    signal.removeEventListener('abort', end);
  }

  #advanceTo(resourceVersion: string): void {
    this.#refusals = 0;
    this.#state = { ...this.#state, resourceVersion };
  }

  #recordContact(): void {
    this.#state = { ...this.#state, lastContactAt: this.#clock.now() };
  }

  #countFailure(key: ObjectKey, error: unknown): void {
    this.#state = { ...this.#state, ingestFailures: this.#state.ingestFailures + 1 };
    this.#log.warn('An object could not be processed.', { path: this.path, key, error });
  }

  #enter(phase: ReflectorPhase, error: AppError | undefined, more: Partial<ReflectorState> = {}): void {
    const since = phase === this.#state.phase ? this.#state.since : this.#clock.now();
    this.#update({ phase, since, error, ...more });
  }

  #update(change: Partial<ReflectorState>): void {
    const before = this.#state;
    this.#state = { ...before, ...change };
    const visible = (['phase', 'synced', 'error', 'unfollowedSince'] as const).some(
      (name) => this.#state[name] !== before[name],
    );
    if (!visible) return;
    try {
      this.#options.onState?.(this.#state);
    } catch (error) {
      this.#log.error('A listener of a reflector failed.', { path: this.path, error });
    }
  }
}

/** Versions of one resource compare as numbers. https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions */
function isBefore(a: string, b: string | undefined): boolean {
  return b !== undefined && /^\d+$/.test(a) && /^\d+$/.test(b) && BigInt(a) < BigInt(b);
}

/** Whether repeating the request may never help, as opposed to an API server that is away or busy. */
function isRefusal({ code, details }: AppError): boolean {
  if (code === 'cluster_unreachable' || code === 'rate_limited') return false;
  return code !== 'timeout' || details.status !== undefined;
}

function asAppError(error: unknown): AppError {
  return error instanceof AppError
    ? error
    : new AppError(
        'internal',
        `Watching the cluster failed: ${error instanceof Error ? error.message : String(error)}`,
        {},
        error,
      );
}
