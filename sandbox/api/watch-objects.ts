import { type JsonObject } from '@/lib/kube/json';
import { type ApiCore } from '@/sandbox/api/api-core';
import { type ApiStatus, expired } from '@/sandbox/api/objects/api-status';
import { parseVersion } from '@/sandbox/api/list-objects';
import { type StoreEvent } from '@/sandbox/api/object-store';
import { resourceName, groupVersion, type ResourceKind } from '@/sandbox/api/objects/resource-kind';
import { type ObjectSelection, selects } from '@/sandbox/api/selection';
import { type StoredObject } from '@/sandbox/api/objects/stored-object';
import { fromStored } from '@/sandbox/api/update-object';

type WatchType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** A message of a watch, before it is encoded. */
export type WatchMessage =
  | { readonly type: WatchType; readonly object: StoredObject }
  | { readonly type: 'BOOKMARK'; readonly object: JsonObject }
  | { readonly type: 'ERROR'; readonly status: ApiStatus };

export interface WatchRequest {
  readonly kind: ResourceKind;
  readonly version: string;
  readonly selection: ObjectSelection;
  readonly query: URLSearchParams;
}

export interface ClientWatch {
  /** Sends the current version of the watch to a client that requested it. */
  bookmark(): void;
  stop(): void;
}

/**
 * Calls `send` with the changes from the requested version on, and then with every change as it happens. All
 * existing changes are sent before this returns. Throws ApiStatus before anything is sent.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
 */
export function watchObjects(
  { store }: ApiCore,
  { kind, version, selection, query }: WatchRequest,
  send: (message: WatchMessage) => void,
): ClientWatch {
  const collection = resourceName(kind);
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

/** A change may move an object into the selection, or out of it. */
function messageOf(
  event: StoreEvent,
  selection: ObjectSelection,
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

function bookmarkAt(kind: ResourceKind, version: string, at: number, annotations = {}): WatchMessage {
  return {
    type: 'BOOKMARK',
    object: {
      kind: kind.kind,
      apiVersion: groupVersion(kind.group, version),
      metadata: { resourceVersion: String(at), annotations },
    },
  };
}
