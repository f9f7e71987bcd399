import { type JsonObject } from '@/lib/kube/json';

/** A column of the table that kubectl prints. */
export type PrinterColumn = {
  name: string;
  type: 'string' | 'integer' | 'boolean' | 'date';
  jsonPath: string;
  /** Above 0: only in wide tables. */
  priority?: number;
};

export interface CustomResource {
  group: string;
  kind: string;
  plural: string;
  /** The stored version comes first; all are served alike. */
  versions: readonly string[];
  namespaced?: boolean;
  shortNames?: readonly string[];
  /** Whether its status is a subresource; true by default. */
  hasStatus?: boolean;
  /** JSON paths of the fields of a Scale; without them there is none. */
  scale?: { replicas: string; statusReplicas: string; selector: string };
  /** Of all versions, or of each; without any, kubectl shows names and ages. */
  columns?: readonly PrinterColumn[] | Readonly<Record<string, readonly PrinterColumn[]>>;
  /** The schema of the fields; empty by default. */
  properties?: JsonObject;
}

export const AGE_COLUMN: PrinterColumn = {
  name: 'AGE',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
};

/**
 * The manifest of a kind that another project defines, as far as the sandbox needs it: names, versions,
 * status. Fields without a schema are stored as its own controllers write them.
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/
 */
export function customResource(resource: CustomResource): JsonObject {
  const { group, kind, plural, versions, namespaced = true, shortNames = [] } = resource;
  const { hasStatus = true, scale, properties } = resource;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        ...(shortNames.length > 0 && { shortNames: [...shortNames] }),
      },
      scope: namespaced ? 'Namespaced' : 'Cluster',
      versions: versions.map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: described(properties) },
        subresources: {
          ...(hasStatus && { status: {} }),
          ...(scale !== undefined && {
            scale: {
              specReplicasPath: scale.replicas,
              statusReplicasPath: scale.statusReplicas,
              labelSelectorPath: scale.selector,
            },
          }),
        },
        ...additionalColumns(resource, name),
      })),
    },
  };
}

/** An object with these members, and any others. */
export function described(properties?: JsonObject): JsonObject {
  return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, ...(properties && { properties }) };
}

function additionalColumns({ columns = [] }: CustomResource, version: string): JsonObject {
  const own = isList(columns) ? columns : (columns[version] ?? []);
  return own.length === 0 ? {} : { additionalPrinterColumns: own.map((column) => ({ ...column })) };
}

function isList<T, U>(value: readonly T[] | U): value is readonly T[] {
  return Array.isArray(value);
}
