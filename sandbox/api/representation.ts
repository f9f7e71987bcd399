import { type Json, type JsonObject } from '@/lib/kube/json';
import { notAcceptable } from '@/sandbox/api/objects/api-status';
import { type TableColumn, type ResourceKind } from '@/sandbox/api/objects/resource-kind';
import { type StoredObject } from '@/sandbox/api/objects/stored-object';

/** The form in which objects are returned. */
export interface Representation {
  readonly form: 'object' | 'metadata' | 'table';
  /** Version of meta.k8s.io, of tables and of bare metadata. */
  readonly version: 'v1' | 'v1beta1';
  /** What a table row contains. */
  readonly include: 'Metadata' | 'Object' | 'None';
}

const PLAIN: Representation = { form: 'object', version: 'v1', include: 'Metadata' };
const AVAILABLE = ['application/json', 'application/json;stream=watch'];

/** Reads the header `Accept`; the first supported entry wins. Throws ApiStatus 406. */
export function parseAccept(accept: string | undefined, query: URLSearchParams): Representation {
  if (accept === undefined || accept.trim() === '') return PLAIN;
  for (const choice of accept.split(',')) {
    const [type = '', ...parameters] = choice.split(';').map((part) => part.trim());
    if (!['application/json', 'application/*', '*/*'].includes(type)) continue;
    const values = new URLSearchParams(parameters.join('&'));
    const form = formOf(values.get('as') ?? undefined);
    const version = values.get('v') ?? 'v1';
    if (form === undefined || (version !== 'v1' && version !== 'v1beta1')) continue;
    return { form, version, include: includeOf(query.get('includeObject')) };
  }
  throw notAcceptable(AVAILABLE);
}

function formOf(as: string | undefined): Representation['form'] | undefined {
  switch (as) {
    case undefined:
      return 'object';
    case 'Table':
      return 'table';
    case 'PartialObjectMetadata':
    case 'PartialObjectMetadataList':
      return 'metadata';
    default:
      return undefined;
  }
}

function includeOf(text: string | null): Representation['include'] {
  return text === 'Object' || text === 'None' ? text : 'Metadata';
}

export function representObject(
  kind: ResourceKind,
  { form, version, include }: Representation,
  object: StoredObject,
  now: number,
): JsonObject {
  switch (form) {
    case 'object':
      return object;
    case 'metadata':
      return metadataOnly(object, version);
    case 'table':
      return tableOf(kind, version, include, [object], now, {
        resourceVersion: object.metadata.resourceVersion,
      });
    default:
      return form satisfies never;
  }
}

export function representList(
  kind: ResourceKind,
  { form, version, include }: Representation,
  objects: readonly StoredObject[],
  metadata: JsonObject,
  apiVersion: string,
  now: number,
): JsonObject {
  switch (form) {
    case 'object':
      return {
        kind: `${kind.kind}List`,
        apiVersion,
        metadata,
        items: kind.schema === undefined ? [...objects] : objects.map(withoutType),
      };
    case 'metadata':
      return {
        kind: 'PartialObjectMetadataList',
        apiVersion: `meta.k8s.io/${version}`,
        metadata,
        items: objects.map((object) => metadataOnly(object, version)),
      };
    case 'table':
      return tableOf(kind, version, include, objects, now, metadata);
    default:
      return form satisfies never;
  }
}

/** In lists of built-in kinds the items do not repeat their type. */
function withoutType({ apiVersion: _version, kind: _kind, ...rest }: StoredObject): JsonObject {
  return rest;
}

function metadataOnly({ metadata }: StoredObject, version: string): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata };
}

function tableOf(
  kind: ResourceKind,
  version: string,
  include: Representation['include'],
  objects: readonly StoredObject[],
  now: number,
  metadata: JsonObject,
): JsonObject {
  const columns: readonly TableColumn[] = [NAME, ...kind.columns];

  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${version}`,
    metadata,
    columnDefinitions: columns.map(({ name, type, wide }) => ({
      name,
      type,
      format: name === 'Name' ? 'name' : '',
      description: '',
      priority: wide === true ? 1 : 0,
    })),
    rows: objects.map((object) => ({
      cells: columns.map(({ cell }): Json => cell(object, now)),
      ...(include === 'None'
        ? {}
        : { object: include === 'Object' ? object : metadataOnly(object, version) }),
    })),
  };
}

const NAME: TableColumn = { name: 'Name', type: 'string', cell: ({ metadata }) => metadata.name };
