import { type JsonObject } from '@/lib/kube/json';
import { type ApiCore } from '@/server/sandbox/api/api-core';
import { type ApiStatus, expired } from '@/server/sandbox/api/api-status';
import { parseVersion } from '@/server/sandbox/api/list-objects';
import { type StoreEvent } from '@/server/sandbox/api/object-store';
import { collectionOf, groupVersion, type ResourceKind } from '@/server/sandbox/api/resource-kind';
import { type Selection, selects } from '@/server/sandbox/api/selection';
import { type StoredObject } from '@/server/sandbox/api/stored-object';
import { fromStored } from '@/server/sandbox/api/update-object';

export type WatchType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** What a watch says, before it is put into a form. */
export type WatchMessage =
  | { readonly type: WatchType; readonly object: StoredObject }
  | { readonly type: 'BOOKMARK'; readonly object: JsonObject }
  | { readonly type: 'ERROR'; readonly status: ApiStatus };

export interface WatchRequest {
  readonly kind: ResourceKind;
  readonly version: string;
  readonly selection: Selection;
  readonly query: URLSearchParams;
}

export interface Watch {
  /** Says where the watch stands, for a client that wants to know. */
  bookmark(): void;
  stop(): void;
}

/**
 * Tells `send` the changes from the version asked for on, and then every change as it happens. Everything that is
 * known already is told before this returns. Throws ApiStatus before anything is told.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
 */
export function watchObjects(
  { store }: ApiCore,
  { kind, version, selection, query }: WatchRequest,
  send: (message: WatchMessage) => void,
): Watch {
  const collection = collectionOf(kind);
  const start = parseVersion(query.get('resourceVersion') || '0');
  const initial =
    query.get('sendInitialEvents') === 'true' || (start === 0 && query.get('sendInitialEvents') !== 'false');
  const past = initial ? [] : store.since(start);
  if (past === undefined) {
    send({
      type: 'ERROR',
      status: expired(`too old resource version: ${start} (${store.compactedVersion})`),
    });
    return { bookmark: () => undefined, stop: () => undefined };
  }
  const view = (object: StoredObject) => fromStored(kind, version, object);
  const tell = (event: StoreEvent): void => {
    if (event.collection !== collection || event.version <= start) return;
    const message = messageOf(event, selection, view);
    if (message !== undefined) send(message);
  };
  if (initial) {
    for (const object of store.list(collection, selection.namespace)) {
      const shown = view(object);
      if (selects(selection, shown)) send({ type: 'ADDED', object: shown });
    }
  }
  past.forEach(tell);
  if (query.get('sendInitialEvents') === 'true') {
    send(bookmarkAt(kind, version, store.version, { 'k8s.io/initial-events-end': 'true' }));
  }
  const stop = store.subscribe(tell);

  return { bookmark: () => send(bookmarkAt(kind, version, store.version)), stop };
}

/** A change may bring an object into the selection, or out of it. */
function messageOf(
  event: StoreEvent,
  selection: Selection,
  view: (object: StoredObject) => StoredObject,
): WatchMessage | undefined {
  const object = view(event.object);
  const was = event.previous !== undefined && selects(selection, view(event.previous));
  const is = event.type !== 'DELETED' && selects(selection, object);
  if (is) return { type: was ? 'MODIFIED' : 'ADDED', object };
  if (!was || event.previous === undefined) return undefined;
  if (event.type === 'DELETED') return { type: 'DELETED', object };
  const last = view(event.previous);
  const metadata = { ...last.metadata, resourceVersion: object.metadata.resourceVersion };

  return { type: 'DELETED', object: { ...last, metadata } };
}

function bookmarkAt(
  kind: ResourceKind,
  version: string,
  at: number,
  annotations?: Record<string, string>,
): WatchMessage {
  return {
    type: 'BOOKMARK',
    object: {
      kind: kind.kind,
      apiVersion: groupVersion(kind.group, version),
      metadata: {
        resourceVersion: String(at),
        ...(annotations === undefined ? {} : { annotations }),
      },
    },
  };
}
