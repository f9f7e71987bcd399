import { type JsonObject } from '@/lib/kube/json';
import { type ApiCore } from '@/sandbox/api/api-core';
import { ApiStatus, badRequest, expired } from '@/sandbox/api/objects/api-status';
import { assertListOptions } from '@/sandbox/api/list-options';
import { resourceName, type ResourceKind } from '@/sandbox/api/objects/resource-kind';
import { type ObjectSelection, selects } from '@/sandbox/api/selection';
import { keyOf, namespaceOf, type StoredObject } from '@/sandbox/api/objects/stored-object';
import { fromStored } from '@/sandbox/api/update-object';

interface ListResult {
  readonly objects: StoredObject[];
  readonly metadata: JsonObject;
}

interface Page {
  /** The resource version that all pages show. */
  readonly at: number;
  /** Key after which the page starts. */
  readonly after: string;
}

/**
 * One page of a collection. Later pages show the state of the first one. Throws ApiStatus: 400 on invalid
 * parameters, 410 when the state has expired, 504 when it is in the future.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
 */
export function listObjects(
  core: ApiCore,
  kind: ResourceKind,
  version: string,
  selection: ObjectSelection,
  query: URLSearchParams,
): ListResult {
  // Version 0 means "any version", and is answered in a single page.
  assertListOptions(query);
  const limit = query.get('resourceVersion') === '0' ? 0 : Number(query.get('limit') ?? 0);
  const token = query.get('continue') ?? '';
  const page = token === '' ? firstPage(core, query) : parseToken(token);
  const all = core.store.listAt(page.at, resourceName(kind), selection.namespace);
  if (all === undefined) throw expired(token === '' ? TOO_OLD : TOKEN_TOO_OLD);
  const rest = all
    .map((object) => fromStored(kind, version, object))
    .filter((object) => orderKey(object) > page.after && selects(selection, object));
  const objects = limit > 0 ? rest.slice(0, limit) : rest;
  const last = objects.at(-1);
  const remaining = rest.length - objects.length;
  const isSelective = selection.labels.length + selection.fields.length > 0;

  return {
    objects,
    metadata: {
      resourceVersion: String(page.at),
      ...(remaining === 0 || last === undefined
        ? {}
        : {
            continue: formatToken({ at: page.at, after: orderKey(last) }),
            ...(isSelective ? {} : { remainingItemCount: remaining }),
          }),
    },
  };
}

const TOO_OLD = 'The resourceVersion for the provided list is too old.';
const TOKEN_TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
  'the continue parameter.';

function orderKey(object: StoredObject): string {
  return keyOf(namespaceOf(object), object.metadata.name);
}

function firstPage({ store }: ApiCore, query: URLSearchParams): Page {
  const wanted = query.get('resourceVersion') ?? '';
  if (wanted === '') return { at: store.version, after: '' };
  const version = reachedVersion(store, wanted);

  return { at: query.get('resourceVersionMatch') === 'Exact' ? version : store.version, after: '' };
}

/** Throws ApiStatus: 400 on an invalid version, 504 on one in the future. */
export function assertReached({ store }: ApiCore, query: URLSearchParams): void {
  const wanted = query.get('resourceVersion') ?? '';
  if (wanted !== '') reachedVersion(store, wanted);
}

function reachedVersion(store: ApiCore['store'], wanted: string): number {
  const version = parseVersion(wanted, 'invalid resource version: ');
  if (version > store.version) throw tooLarge(version, store.version);

  return version;
}

/** Throws ApiStatus 400. */
export function parseVersion(text: string, prefix = ''): number {
  if (!/^\d{1,15}$/.test(text)) {
    throw badRequest(
      `${prefix}resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  }
  return Number(text);
}

function tooLarge(wanted: number, current: number): ApiStatus {
  return new ApiStatus(
    504,
    'Timeout',
    `Timeout: Too large resource version: ${wanted}, current: ${current}`,
    {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  );
}

function formatToken({ at, after }: Page): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: at, start: `${after}\0` })).toString(
    'base64url',
  );
}

function parseToken(token: string): Page {
  try {
    const { rv, start } = JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as Record<
      string,
      unknown
    >;
    if (typeof rv === 'number' && typeof start === 'string') return { at: rv, after: start.slice(0, -1) };
  } catch {
    // Rejected below, like any other invalid token.
  }
  throw badRequest('invalid continue token: continue key is not valid');
}
