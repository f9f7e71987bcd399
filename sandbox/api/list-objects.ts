import { type JsonObject } from '@/lib/kube/json';
import { objectIn } from '@/lib/kube/read';
import { type ApiCore } from '@/sandbox/api/api-core';
import { keyOfObject } from '@/sandbox/api/object-store';
import { ApiStatus, badRequest, expired, invalid } from '@/sandbox/api/objects/api-status';
import { resourceName, type ResourceKind } from '@/sandbox/api/objects/resource-kind';
import { type StoredObject } from '@/sandbox/api/objects/stored-object';
import { forbiddenField, unsupported } from '@/sandbox/api/objects/validation';
import { type ObjectSelection, selects } from '@/sandbox/api/selection';
import { fromStored } from '@/sandbox/api/write-object';

interface ListResult {
  readonly objects: StoredObject[];
  readonly metadata: JsonObject;
}

/** The resource version that all pages show, and the key after which a page starts. */
type Page = { at: number; after: string };

/**
 * One page of a collection. Later pages show the state of the first one. Throws ApiStatus: 400 on invalid
 * parameters, 410 when the state has expired, 504 when it is in the future.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
 */
export function listObjects(
  { store }: ApiCore,
  kind: ResourceKind,
  version: string,
  selection: ObjectSelection,
  query: URLSearchParams,
): ListResult {
  assertListOptions(query);
  // Version 0 means "any version", and is answered in a single page.
  const limit = query.get('resourceVersion') === '0' ? 0 : Number(query.get('limit') ?? 0);
  const token = query.get('continue') ?? '';
  const { at, after } = token === '' ? firstPage(store, query) : parseToken(token);
  const all = store.listAt(at, resourceName(kind), selection.namespace);
  if (all === undefined) throw expired(token === '' ? TOO_OLD : TOKEN_TOO_OLD);
  const rest = all
    .map((object) => fromStored(kind, version, object))
    .filter((object) => keyOfObject(object) > after && selects(selection, object));
  const objects = limit > 0 ? rest.slice(0, limit) : rest;
  const metadata: JsonObject = { resourceVersion: String(at) };
  const last = objects.at(-1);
  if (last !== undefined && rest.length > objects.length) {
    metadata.continue = Buffer.from(JSON.stringify({ at, after: keyOfObject(last) })).toString('base64url');
    if (selection.labels.length + selection.fields.length === 0)
      metadata.remainingItemCount = rest.length - objects.length;
  }
  return { objects, metadata };
}

const TOO_OLD = 'The resourceVersion for the provided list is too old.';
const TOKEN_TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
  'the continue parameter.';

function firstPage(store: ApiCore['store'], query: URLSearchParams): Page {
  const version = reachedVersion(store, query);
  return { at: query.get(MATCH) === 'Exact' ? (version ?? 0) : store.version, after: '' };
}

function parseToken(token: string): Page {
  const { at, after } = objectIn(Buffer.from(token, 'base64url').toString('utf8')) ?? {};
  if (typeof at === 'number' && typeof after === 'string') return { at, after };
  throw badRequest('invalid continue token: continue key is not valid');
}

const MATCH = 'resourceVersionMatch';

/**
 * Throws ApiStatus on parameters that contradict each other: 422, and 400 where upstream answers that.
 * https://github.com/kubernetes/apimachinery/blob/master/pkg/apis/meta/internalversion/validation/validation.go
 */
function assertListOptions(query: URLSearchParams): void {
  const [match, version, token] = [MATCH, 'resourceVersion', 'continue'].map((name) => query.get(name) ?? '');
  if (token !== '' && match === '' && version !== '' && version !== '0')
    throw badRequest('specifying resource version is not allowed when using continue');
  if (match === '') return;
  if (token !== '') throw refusedMatch(`${MATCH} is forbidden when continue is provided`);
  if (version === '') throw refusedMatch(`${MATCH} is forbidden unless resourceVersion is provided`);
  if (match === 'Exact' && version === '0')
    throw refusedMatch(`${MATCH} "exact" is forbidden for resourceVersion "0"`);
  if (match !== 'Exact' && match !== 'NotOlderThan')
    throw invalid(LIST_OPTIONS, '', unsupported(MATCH, match, ['Exact', 'NotOlderThan', '']));
}

/** The same for a watch, which may start with the initial events. */
export function assertWatchOptions(query: URLSearchParams): void {
  const match = query.get(MATCH) ?? '';
  const sendsInitial = query.has('sendInitialEvents');
  if (sendsInitial && match !== 'NotOlderThan')
    throw refusedMatch(`sendInitialEvents requires setting ${MATCH} to NotOlderThan`);
  if (!sendsInitial && match !== '')
    throw refusedMatch(`${MATCH} is forbidden for watch unless sendInitialEvents is provided`);
}

const LIST_OPTIONS = { group: 'meta.k8s.io', kind: 'ListOptions' };

function refusedMatch(why: string): ApiStatus {
  return invalid(LIST_OPTIONS, '', forbiddenField(MATCH, why));
}

/** The requested version, if there is one. Throws ApiStatus: 400 on an invalid version, 504 on one in the future. */
export function reachedVersion(store: ApiCore['store'], query: URLSearchParams): number | undefined {
  const wanted = query.get('resourceVersion') ?? '';
  if (wanted === '') return undefined;
  const version = parseVersion(wanted, 'invalid resource version: ');
  if (version <= store.version) return version;
  const message = 'Too large resource version';
  throw new ApiStatus(504, 'Timeout', `Timeout: ${message}: ${wanted}, current: ${store.version}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message }],
    retryAfterSeconds: 1,
  });
}

/** Throws ApiStatus 400. */
export function parseVersion(text: string, prefix = ''): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const quoted = JSON.stringify(text);
  throw badRequest(
    `${prefix}resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: invalid syntax`,
  );
}
