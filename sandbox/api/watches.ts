import type { ServerResponse } from 'node:http';
import type { JsonObject } from '@/lib/kube/json';
import type { ApiCore } from '@/sandbox/api/api-core';
import type { ApiRequest, ResourceTarget } from '@/sandbox/api/api-request';
import { type Faults, type OpenWatch, targetOf } from '@/sandbox/api/faults';
import { assertWatchOptions, parseSelection, parseVersion, selects } from '@/sandbox/api/list-objects';
import type { StoreEvent } from '@/sandbox/api/object-store';
import { expired } from '@/sandbox/api/objects/api-status';
import { groupVersion, resourceName, type ResourceKind } from '@/sandbox/api/objects/resource-kind';
import type { StoredObject } from '@/sandbox/api/objects/stored-object';
import { parseAccept, type Representation, representObject } from '@/sandbox/api/representation';
import { fromStored } from '@/sandbox/api/write-object';

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
  readonly #open = new Set<OpenWatch>();

  constructor(core: ApiCore, faults: Faults) {
    this.#core = core;
    this.#faults = faults;
  }

  get openWatches(): OpenWatch[] {
    return [...this.#open];
  }

  /**
   * Answers with a line for each change from the requested version on, until the client disconnects, time is up or the
   * server ends it. Throws ApiStatus.
   * https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
   */
  open(kind: ResourceKind, target: ResourceTarget, request: ApiRequest, response: ServerResponse): void {
    const { query } = request;
    assertWatchOptions(query);
    const encode = encoder(kind, parseAccept(request.accept, query, 0), this.#core.now);
    const selection = parseSelection(kind, kind.namespaced ? target.namespace : '', query);
    const start = parseVersion(query.get('resourceVersion') || '0');
    const write = (line: JsonObject): void => {
      if (response.writableEnded || response.destroyed) return;
      response.write(`${JSON.stringify(line)}\n`);
      if (response.writableLength > UNREAD_BYTES_MAX) response.destroy();
    };
    const watch: OpenWatch = {
      user: request.caller.name,
      kind,
      namespace: selection.namespace,
      close: (how) => (how === 'end' ? response.end() : response.destroy()),
      write,
    };
    const { store } = this.#core;
    const view = (object: StoredObject) => fromStored(kind, target.version, object);
    const isSelected = (object: StoredObject) => selects(selection, view(object));
    const send = (type: string, object: JsonObject) => this.#faults.filter(watch, { type, object }, write);
    const tell = (event: StoreEvent): void => {
      if (event.collection !== resourceName(kind) || event.version <= start) return;
      const change = changeOf(event, isSelected);
      if (change !== undefined) send(change.type, encode(view(change.object)));
    };
    const bookmark = (annotations = {}): void => {
      const apiVersion = groupVersion(kind.group, target.version);
      const metadata = { resourceVersion: String(store.version), annotations };
      send('BOOKMARK', encode.bookmark({ kind: kind.kind, apiVersion, metadata }));
    };
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
    response.flushHeaders();
    const isInitial = query.get('sendInitialEvents') === 'true';
    const isAll = isInitial || (start === 0 && query.get('sendInitialEvents') !== 'false');
    const past = isAll ? [] : store.since(start);
    const isRefused = this.#faults.consume('expired', targetOf(watch)) !== undefined;
    if (past === undefined || isRefused) {
      const why = isRefused
        ? 'The resourceVersion for the watch is too old.'
        : `too old resource version: ${start} (${store.compactedVersion})`;
      send('ERROR', expired(why).body());
      response.end();
      return;
    }
    if (isAll)
      for (const object of store.list(resourceName(kind), selection.namespace))
        if (isSelected(object)) send('ADDED', encode(view(object)));
    past.forEach(tell);
    if (isInitial) bookmark({ 'k8s.io/initial-events-end': 'true' });
    this.#follow(watch, tell, bookmark, query, response);
  }

  #follow(
    watch: OpenWatch,
    tell: (event: StoreEvent) => void,
    bookmark: () => void,
    query: URLSearchParams,
    response: ServerResponse,
  ): void {
    this.#open.add(watch);
    const unsubscribe = this.#core.store.subscribe(tell);
    const seconds = Number(query.get('timeoutSeconds') ?? 0);
    const timers = [setTimeout(() => response.end(), seconds > 0 ? seconds * 1000 : TIMEOUT_MS)];
    if (query.get('allowWatchBookmarks') === 'true')
      timers.push(setInterval(() => bookmark(), BOOKMARK_EVERY_MS));
    for (const timer of timers) timer.unref();
    response.on('error', () => undefined);
    response.on('close', () => {
      unsubscribe();
      timers.forEach(clearTimeout);
      this.#open.delete(watch);
    });
  }
}

/** A change may move an object into the selection, or out of it. */
function changeOf(
  { type, object, previous }: StoreEvent,
  isSelected: (object: StoredObject) => boolean,
): { type: string; object: StoredObject } | undefined {
  const was = previous !== undefined && isSelected(previous);
  if (type !== 'DELETED' && isSelected(object)) return { type: was ? 'MODIFIED' : 'ADDED', object };
  if (!was) return undefined;
  if (type === 'DELETED') return { type, object };
  const metadata = { ...previous.metadata, resourceVersion: object.metadata.resourceVersion };
  return { type: 'DELETED', object: { ...previous, metadata } };
}

/** Encodes objects and bookmarks in the form that the client requested. A table has its columns once. */
function encoder(kind: ResourceKind, as: Representation, now: () => number) {
  let hasColumns = false;
  const encode = (object: StoredObject): JsonObject => {
    const shown = representObject(kind, { ...as, now: now() }, object);
    if (as.form !== 'table') return shown;
    const columnDefinitions = hasColumns ? null : shown.columnDefinitions;
    hasColumns = true;
    return { ...shown, columnDefinitions };
  };
  encode.bookmark = (object: JsonObject): JsonObject => {
    if (as.form === 'object') return object;
    const type = as.form === 'table' ? 'Table' : 'PartialObjectMetadata';
    return { kind: type, apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
  };
  return encode;
}
