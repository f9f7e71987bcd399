import type { JsonObject } from '@/lib/kube/json';
import { ApiStatus } from '@/sandbox/api/objects/api-status';
import { groupVersion, type TableColumn, type ResourceKind } from '@/sandbox/api/objects/resource-kind';
import type { StoredObject } from '@/sandbox/api/objects/stored-object';

/** How objects are returned: whole, only their metadata, or as rows of a table. */
export interface Representation {
  readonly form: 'object' | 'metadata' | 'table';
  /** What a row contains besides its cells: by default the metadata. */
  readonly include: string | null;
  readonly now: number;
}

const JSON_TYPES = ['application/json', 'application/*', '*/*'];
const FORMS: Readonly<Record<string, Representation['form']>> = {
  '': 'object',
  Table: 'table',
  PartialObjectMetadata: 'metadata',
  PartialObjectMetadataList: 'metadata',
};

/** Reads the header `Accept`; the first supported entry wins. Throws ApiStatus 406. */
export function parseAccept(accept: string | undefined, query: URLSearchParams, now: number): Representation {
  const include = query.get('includeObject');
  for (const choice of (accept?.trim() || '*/*').split(',')) {
    const [type = '', ...parameters] = choice.split(';').map((part) => part.trim());
    const values = new URLSearchParams(parameters.join('&'));
    const form = FORMS[values.get('as') ?? ''];
    if (form !== undefined && JSON_TYPES.includes(type) && (values.get('v') ?? 'v1') === 'v1')
      return { form, include, now };
  }
  const message = '406: Not Acceptable\n\nAvailable representations: application/json';
  throw new ApiStatus(406, 'NotAcceptable', message, {});
}

export function representObject(kind: ResourceKind, as: Representation, object: StoredObject): JsonObject {
  if (as.form === 'table')
    return tableOf(kind, as, [object], { resourceVersion: object.metadata.resourceVersion });
  return as.form === 'object' ? object : metadataOnly(object);
}

export function representList(
  kind: ResourceKind,
  as: Representation,
  objects: readonly StoredObject[],
  metadata: JsonObject,
  version: string,
): JsonObject {
  switch (as.form) {
    case 'object':
      return {
        kind: `${kind.kind}List`,
        apiVersion: groupVersion(kind.group, version),
        metadata,
        // In lists of built-in kinds the items do not repeat their type.
        items: objects.map(({ apiVersion, kind: type, ...rest }): JsonObject =>
          kind.schema === undefined ? { apiVersion, kind: type, ...rest } : rest,
        ),
      };
    case 'metadata':
      return {
        kind: 'PartialObjectMetadataList',
        apiVersion: 'meta.k8s.io/v1',
        metadata,
        items: objects.map(metadataOnly),
      };
    case 'table':
      return tableOf(kind, as, objects, metadata);
    default:
      return as.form satisfies never;
  }
}

function metadataOnly({ metadata }: StoredObject): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
}

const NAME: TableColumn = { name: 'Name', cell: ({ metadata }) => metadata.name };

function tableOf(
  kind: ResourceKind,
  { include, now }: Representation,
  objects: readonly StoredObject[],
  metadata: JsonObject,
): JsonObject {
  const columns = [NAME, ...kind.columns];
  const rowOf = (object: StoredObject): JsonObject => {
    const cells = columns.map(({ cell }) => cell(object, now));
    if (include === 'None') return { cells };
    return { cells, object: include === 'Object' ? object : metadataOnly(object) };
  };
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: columns.map(({ name, wide }) => ({
      name,
      type: 'string',
      format: name === 'Name' ? 'name' : '',
      description: '',
      priority: wide === true ? 1 : 0,
    })),
    rows: objects.map(rowOf),
  };
}
