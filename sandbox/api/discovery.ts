import { type JsonObject } from '@/lib/kube/json';
import { type KindTable } from '@/sandbox/api/kind-table';
import {
  groupVersion,
  type ResourceKind,
  SUBRESOURCE_VERBS,
  VERBS,
} from '@/sandbox/api/objects/resource-kind';

/** The Kubernetes version that the sandbox reports, and whose behavior it follows. */
export const SERVER_VERSION = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: 'v1.36.3+sandbox',
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: `${process.platform}/${process.arch}`,
};

/** `/api` */
export function apiVersions(serverAddress: string): JsonObject {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

/** `/apis` */
export function apiGroupList(table: KindTable): JsonObject {
  const groups = [...table.groups()].filter(([group]) => group !== '');

  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: groups.map(([group, versions]) => groupBody(group, versions)),
  };
}

/** `/apis/<group>`, or undefined if there is none. */
export function apiGroup(table: KindTable, group: string): JsonObject | undefined {
  const versions = group === '' ? undefined : table.groups().get(group);

  return versions === undefined
    ? undefined
    : { kind: 'APIGroup', apiVersion: 'v1', ...groupBody(group, versions) };
}

function groupBody(group: string, versions: readonly string[]): JsonObject {
  const entries = versions.map((version) => ({ groupVersion: groupVersion(group, version), version }));

  return { name: group, versions: entries, preferredVersion: entries[0] };
}

/** `/api/v1`, `/apis/<group>/<version>`, or undefined if it is not served. */
export function apiResourceList(table: KindTable, group: string, version: string): JsonObject | undefined {
  if (table.groups().get(group)?.includes(version) !== true) return undefined;
  const resources = [
    ...kindsOf(table, group, version).flatMap((kind) => [
      resourceBody(kind),
      ...kind.subresources.map((subresource) => ({
        name: `${kind.plural}/${subresource}`,
        singularName: '',
        namespaced: kind.namespaced,
        ...responseKind(kind, subresource, version, true),
        verbs: [...SUBRESOURCE_VERBS[subresource]],
      })),
    ]),
    ...reviewsOf(table, group, version).map(({ plural, kind, namespaced }) => ({
      name: plural,
      singularName: plural.slice(0, -1),
      namespaced,
      kind,
      verbs: ['create'],
    })),
  ];

  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: groupVersion(group, version),
    resources: resources.sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

function resourceBody(kind: ResourceKind) {
  return {
    name: kind.plural,
    singularName: kind.singular,
    namespaced: kind.namespaced,
    kind: kind.kind,
    verbs: [...VERBS] as string[],
    ...(kind.shortNames.length === 0 ? {} : { shortNames: [...kind.shortNames] }),
    ...(kind.categories.length === 0 ? {} : { categories: [...kind.categories] }),
  };
}

export const AGGREGATED_TYPE = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** All of `/api` (`core`) or of `/apis` in one answer. https://kubernetes.io/docs/concepts/overview/kubernetes-api/#aggregated-discovery */
export function aggregatedDiscovery(table: KindTable, core: boolean): JsonObject {
  const groups = [...table.groups()].filter(([group]) => (group === '') === core);

  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map(([group, versions]) => ({
      metadata: group === '' ? {} : { name: group },
      versions: versions.map((version) => ({
        version,
        resources: [
          ...kindsOf(table, group, version).map((kind) => discoveredKind(kind, version)),
          ...reviewsOf(table, group, version).map(({ plural, kind, namespaced }) => ({
            resource: plural,
            responseKind: { group, version, kind },
            scope: namespaced ? 'Namespaced' : 'Cluster',
            singularResource: plural.slice(0, -1),
            verbs: ['create'],
          })),
        ].sort((a, b) => (a.resource < b.resource ? -1 : 1)),
        freshness: 'Current',
      })),
    })),
  };
}

function discoveredKind(kind: ResourceKind, version: string) {
  return {
    resource: kind.plural,
    responseKind: { group: kind.group, version, kind: kind.kind },
    scope: kind.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: kind.singular,
    verbs: [...VERBS] as string[],
    ...(kind.shortNames.length === 0 ? {} : { shortNames: [...kind.shortNames] }),
    ...(kind.categories.length === 0 ? {} : { categories: [...kind.categories] }),
    ...(kind.subresources.length === 0
      ? {}
      : {
          subresources: kind.subresources.map((subresource) => ({
            subresource,
            responseKind: responseKind(kind, subresource, version, false),
            verbs: [...SUBRESOURCE_VERBS[subresource]],
          })),
        }),
  };
}

/** A list names group and version only where they differ from its own. */
function responseKind(
  kind: ResourceKind,
  subresource: string,
  version: string,
  isBrief: boolean,
): JsonObject {
  switch (subresource) {
    case 'scale':
      return { group: 'autoscaling', version: 'v1', kind: 'Scale' };
    case 'eviction':
      return { group: 'policy', version: 'v1', kind: 'Eviction' };
    case 'binding':
      return isBrief ? { kind: 'Binding' } : { group: '', version: 'v1', kind: 'Binding' };
    default:
      return isBrief ? { kind: kind.kind } : { group: kind.group, version, kind: kind.kind };
  }
}

function kindsOf(table: KindTable, group: string, version: string): ResourceKind[] {
  return table.kinds.filter((kind) => kind.group === group && kind.versions.includes(version));
}

function reviewsOf(table: KindTable, group: string, version: string) {
  return table.reviews.filter((review) => review.group === group && review.version === version);
}
