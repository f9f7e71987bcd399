import { type JsonObject } from '@/lib/kube/json';

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
  /** The schema of the fields; empty by default. */
  properties?: JsonObject;
}

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
      })),
    },
  };
}

/** An object with these members, and any others. */
export function described(properties?: JsonObject): JsonObject {
  return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, ...(properties && { properties }) };
}
