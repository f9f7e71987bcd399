import { type JsonObject } from '@/lib/kube/json';

export interface CustomResource {
  group: string;
  kind: string;
  plural: string;
  /** The one in which objects are stored comes first; all are served alike. */
  versions: readonly string[];
  namespaced?: boolean;
  shortNames?: readonly string[];
  /** JSON paths of the three numbers that a Scale is about; without them there is none. */
  scale?: { replicas: string; ready: string; selector: string };
  columns?: readonly { name: string; type: string; jsonPath: string }[];
}

/**
 * The manifest of a kind that another project defines, as far as it takes part here: names, versions, status. Its fields
 * are not described: whatever its own controllers write is kept.
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/
 */
export function customResource(resource: CustomResource): JsonObject {
  const { group, kind, plural, versions, namespaced = true, shortNames = [], scale, columns = [] } = resource;
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
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        subresources: {
          status: {},
          ...(scale !== undefined && {
            scale: {
              specReplicasPath: scale.replicas,
              statusReplicasPath: scale.ready,
              labelSelectorPath: scale.selector,
            },
          }),
        },
        ...(columns.length > 0 && { additionalPrinterColumns: columns.map((column) => ({ ...column })) }),
      })),
    },
  };
}
