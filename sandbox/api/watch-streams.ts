import { type ServerResponse } from 'node:http';
import { type JsonObject } from '@/lib/kube/json';
import { type ApiCore } from '@/sandbox/api/api-core';
import { type ApiRequest } from '@/sandbox/api/api-request';
import { expired } from '@/sandbox/api/objects/api-status';
import { type Faults, type OpenWatch, targetOf } from '@/sandbox/api/faults';
import { assertWatchOptions } from '@/sandbox/api/list-objects';
import { parseAccept, type Representation, representObject } from '@/sandbox/api/representation';
import { type ResourceTarget } from '@/sandbox/api/request-path';
import { type ResourceKind } from '@/sandbox/api/objects/resource-kind';
import { parseSelection } from '@/sandbox/api/selection';
import { type StoredObject } from '@/sandbox/api/objects/stored-object';
import { type WatchMessage, watchObjects } from '@/sandbox/api/watch-objects';

/**
 * Upstream sends one about once a minute; this is often enough that no client takes the silence for an end.
 */
const BOOKMARK_EVERY_MS = 30_000;
/** As upstream: between half an hour and an hour, unless the client requests a timeout. */
const TIMEOUT_MS = 45 * 60 * 1000;
/** A client that reads this slowly is disconnected and may reconnect. */
const UNREAD_BYTES_MAX = 64 * 1024 * 1024;

/** All open watches. */
export class WatchStreams {
  readonly #core: ApiCore;
  readonly #faults: Faults;
  readonly #open = new Map<number, OpenWatch>();
  #count = 0;

  constructor(core: ApiCore, faults: Faults) {
    this.#core = core;
    this.#faults = faults;
  }

  get openWatches(): OpenWatch[] {
    return [...this.#open.values()];
  }

  /**
   * Answers with a line for each change until the client disconnects, time is up or the server ends it.
   * Throws ApiStatus.
   */
  open(kind: ResourceKind, target: ResourceTarget, request: ApiRequest, response: ServerResponse): void {
    const { query } = request;
    assertWatchOptions(query);
    const form = parseAccept(request.accept, query);
    const namespace = kind.namespaced ? target.namespace : '';
    const selection = parseSelection(kind, namespace, query);
    this.#count += 1;
    const id = this.#count;
    const write = (line: JsonObject): void => {
      if (response.writableEnded || response.destroyed) return;
      response.write(`${JSON.stringify(line)}\n`);
      if (response.writableLength > UNREAD_BYTES_MAX) response.destroy();
    };
    const watch: OpenWatch = {
      id,
      user: request.caller.name,
      kind,
      namespace,
      close: (how) => (how === 'end' ? response.end() : response.destroy()),
      write,
    };
    const encode = encoder(kind, form, () => this.#core.now());
    const send = (message: WatchMessage) => this.#faults.filter(watch, encode(message), write);
    let isStarted = false;
    const pending: WatchMessage[] = [];
    const objects = watchObjects(
      this.#core,
      { kind, version: target.version, selection, query },
      (message) => (isStarted ? send(message) : pending.push(message)),
    );
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
    response.flushHeaders();
    this.#open.set(id, watch);
    const timers = this.#timers(
      query,
      () => objects.bookmark(),
      () => response.end(),
    );
    response.on('error', () => undefined);
    response.on('close', () => {
      objects.stop();
      timers.forEach(clearTimeout);
      this.#open.delete(id);
    });
    isStarted = true;
    if (this.#faults.consume('expired', targetOf(watch)) !== undefined)
      pending.splice(0, Infinity, {
        type: 'ERROR',
        status: expired('The resourceVersion for the watch is too old.'),
      });
    pending.forEach(send);
    if (pending.some(({ type }) => type === 'ERROR')) response.end();
  }

  #timers(query: URLSearchParams, bookmark: () => void, end: () => void): NodeJS.Timeout[] {
    const seconds = Number(query.get('timeoutSeconds') ?? 0);
    const timeout = setTimeout(end, seconds > 0 ? seconds * 1000 : TIMEOUT_MS);
    timeout.unref();
    if (query.get('allowWatchBookmarks') !== 'true') return [timeout];
    const bookmarks = setInterval(bookmark, BOOKMARK_EVERY_MS);
    bookmarks.unref();

    return [timeout, bookmarks];
  }
}

/** Encodes messages in the form that the client requested. A table has its columns once. */
function encoder(kind: ResourceKind, { form, include }: Representation, now: () => number) {
  let hasColumns = false;
  const represent = (object: StoredObject): JsonObject => {
    const shown = representObject(kind, { form, include }, object, now());
    if (form !== 'table') return shown;
    const columnDefinitions = hasColumns ? null : shown.columnDefinitions;
    hasColumns = true;

    return { ...shown, columnDefinitions };
  };

  return (message: WatchMessage): JsonObject => {
    switch (message.type) {
      case 'ERROR':
        return { type: 'ERROR', object: message.status.body() };
      case 'BOOKMARK':
        return { type: 'BOOKMARK', object: bookmarkAs(form, message.object) };
      default:
        return { type: message.type, object: represent(message.object) };
    }
  };
}

function bookmarkAs(form: Representation['form'], object: JsonObject): JsonObject {
  if (form === 'object') return object;
  const kind = form === 'table' ? 'Table' : 'PartialObjectMetadata';

  return { kind, apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
}
