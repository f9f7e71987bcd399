import { AppError } from '@/lib/errors';
import type { JsonObject } from '@/lib/kube/json';
import { objectIn, valueAt } from '@/lib/kube/read';
import { matchesSelector, parseSelector, type Selector } from '@/lib/kube/selector';
import type { ApiCore } from '@/sandbox/api/api-core';
import { keyOfObject } from '@/sandbox/api/object-store';
import { ApiStatus, badRequest, expired, invalid } from '@/sandbox/api/objects/api-status';
import { resourceName, type ResourceKind } from '@/sandbox/api/objects/resource-kind';
import type { StoredObject } from '@/sandbox/api/objects/stored-object';
import { forbiddenField } from '@/sandbox/api/objects/validation';
import { fromStored } from '@/sandbox/api/write-object';

/** The selected objects of a collection. */
export interface ObjectSelection {
  readonly namespace: string;
  readonly labels: Selector;
  readonly fields: readonly FieldRequirement[];
}

interface FieldRequirement {
  readonly path: readonly string[];
  readonly value: string;
  readonly isEqual: boolean;
}

/** Reads `labelSelector` and `fieldSelector`. Throws ApiStatus 400. */
export function parseSelection(
  kind: ResourceKind,
  namespace: string,
  query: URLSearchParams,
): ObjectSelection {
  return {
    namespace,
    labels: parseLabels(query.get('labelSelector') ?? ''),
    fields: (query.get('fieldSelector') ?? '')
      .split(/(?<!\\),/)
      .filter((term) => term !== '')
      .map((term) => parseField(kind, term)),
  };
}

export function selects({ namespace, labels, fields }: ObjectSelection, object: StoredObject): boolean {
  if (namespace !== '' && object.metadata.namespace !== namespace) return false;
  if (labels.length > 0 && !matchesSelector(labels, object.metadata.labels ?? {})) return false;
  return fields.every(({ path, value, isEqual }) => (fieldText(object, path) === value) === isEqual);
}

function parseLabels(text: string): Selector {
  try {
    return parseSelector(text);
  } catch (error) {
    if (error instanceof AppError) throw badRequest(`unable to parse requirement: ${error.message}`);
    throw error;
  }
}

function parseField(kind: ResourceKind, term: string): FieldRequirement {
  const [, field, operator, value = ''] = /^(.*?)(!=|==|=)(.*)$/.exec(term) ?? [];
  if (field === undefined) throw badRequest(`invalid selector: '${term}'; can't understand '${term}'`);
  const known = ['metadata.name', ...(kind.namespaced ? ['metadata.namespace'] : []), ...kind.fields];
  if (!known.includes(field)) {
    throw badRequest(
      kind.fields.length > 0
        ? `field label not supported: ${field}`
        : `"${field}" is not a known field selector: only ${known.map((one) => `"${one}"`).join(', ')}`,
    );
  }
  return { path: field.split('.'), value: value.replace(/\\(.)/g, '$1'), isEqual: operator !== '!=' };
}

function fieldText(object: StoredObject, path: readonly string[]): string {
  const value = valueAt(object, ...path) ?? '';
  return typeof value === 'object' ? '' : String(value);
}

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
 * A watch may start with the initial events. Throws ApiStatus 422 on parameters that contradict each other.
 * https://github.com/kubernetes/apimachinery/blob/master/pkg/apis/meta/internalversion/validation/validation.go
 */
export function assertWatchOptions(query: URLSearchParams): void {
  const match = query.get(MATCH) ?? '';
  const sendsInitial = query.has('sendInitialEvents');
  if (sendsInitial && match !== 'NotOlderThan')
    throw refusedMatch(`sendInitialEvents requires setting ${MATCH} to NotOlderThan`);
  if (!sendsInitial && match !== '')
    throw refusedMatch(`${MATCH} is forbidden for watch unless sendInitialEvents is provided`);
}

function refusedMatch(why: string): ApiStatus {
  return invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', forbiddenField(MATCH, why));
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
