import { z } from 'zod';
import { type JsonObject } from '@/lib/kube/json';
import { type ApiCore } from '@/sandbox/api/api-core';
import {
  ApiStatus,
  badRequest,
  expired,
  forbiddenField,
  invalid,
  unsupported,
} from '@/sandbox/api/objects/api-status';
import { resourceName, type ResourceKind } from '@/sandbox/api/objects/resource-kind';
import { type ObjectSelection, selects } from '@/sandbox/api/selection';
import { keyOf, namespaceOf, type StoredObject } from '@/sandbox/api/objects/stored-object';
import { fromStored } from '@/sandbox/api/update-object';

interface ListResult {
  readonly objects: StoredObject[];
  readonly metadata: JsonObject;
}

const pageSchema = z.object({
  /** The resource version that all pages show. */
  at: z.int(),
  /** Key after which the page starts. */
  after: z.string(),
});
type Page = z.infer<typeof pageSchema>;

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
    throw invalid(LIST_OPTIONS, '', [unsupported(MATCH, match, ['Exact', 'NotOlderThan', ''])]);
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
  return invalid(LIST_OPTIONS, '', [forbiddenField(MATCH, why)]);
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
    const quoted = JSON.stringify(text);
    throw badRequest(
      `${prefix}resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: invalid syntax`,
    );
  }
  return Number(text);
}

function tooLarge(wanted: number, current: number): ApiStatus {
  const message = 'Too large resource version';
  return new ApiStatus(504, 'Timeout', `Timeout: ${message}: ${wanted}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message }],
    retryAfterSeconds: 1,
  });
}

function formatToken(page: Page): string {
  return Buffer.from(JSON.stringify(page)).toString('base64url');
}

function parseToken(token: string): Page {
  try {
    return pageSchema.parse(JSON.parse(Buffer.from(token, 'base64url').toString('utf8')));
  } catch {
    throw badRequest('invalid continue token: continue key is not valid');
  }
}
