import { type Json, type JsonObject } from '@/lib/kube/json';
import { notAcceptable } from '@/sandbox/api/objects/api-status';
import { type TableColumn, type ResourceKind } from '@/sandbox/api/objects/resource-kind';
import { type StoredObject } from '@/sandbox/api/objects/stored-object';

/** The form in which objects are returned. */
export interface Representation {
  readonly form: 'object' | 'metadata' | 'table';
  /** What a table row contains. */
  readonly include: 'Metadata' | 'Object' | 'None';
}

export const PLAIN: Representation = { form: 'object', include: 'Metadata' };
const AVAILABLE = ['application/json', 'application/json;stream=watch'];

/** Reads the header `Accept`; the first supported entry wins. Throws ApiStatus 406. */
export function parseAccept(accept: string | undefined, query: URLSearchParams): Representation {
  if (accept === undefined || accept.trim() === '') return PLAIN;
  for (const choice of accept.split(',')) {
    const [type = '', ...parameters] = choice.split(';').map((part) => part.trim());
    if (!['application/json', 'application/*', '*/*'].includes(type)) continue;
    const values = new URLSearchParams(parameters.join('&'));
    const form = formOf(values.get('as') ?? undefined);
    if (form === undefined || (values.get('v') ?? 'v1') !== 'v1') continue;
    return { form, include: includeOf(query.get('includeObject')) };
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
  { form, include }: Representation,
  object: StoredObject,
  now: number,
): JsonObject {
  switch (form) {
    case 'object':
      return object;
    case 'metadata':
      return metadataOnly(object);
    case 'table':
      return tableOf(kind, include, [object], now, {
        resourceVersion: object.metadata.resourceVersion,
      });
    default:
      return form satisfies never;
  }
}

export function representList(
  kind: ResourceKind,
  { form, include }: Representation,
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
        apiVersion: 'meta.k8s.io/v1',
        metadata,
        items: objects.map((object) => metadataOnly(object)),
      };
    case 'table':
      return tableOf(kind, include, objects, now, metadata);
    default:
      return form satisfies never;
  }
}

/** In lists of built-in kinds the items do not repeat their type. */
function withoutType({ apiVersion: _version, kind: _kind, ...rest }: StoredObject): JsonObject {
  return rest;
}

function metadataOnly({ metadata }: StoredObject): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
}

function tableOf(
  kind: ResourceKind,
  include: Representation['include'],
  objects: readonly StoredObject[],
  now: number,
  metadata: JsonObject,
): JsonObject {
  const columns: readonly TableColumn[] = [NAME, ...kind.columns];

  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
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
      ...(include === 'None' ? {} : { object: include === 'Object' ? object : metadataOnly(object) }),
    })),
  };
}

const NAME: TableColumn = { name: 'Name', type: 'string', cell: ({ metadata }) => metadata.name };
