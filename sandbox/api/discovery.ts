import { type JsonObject } from '@/lib/kube/json';
import { type KindTable } from '@/sandbox/api/kind-table';
import {
  groupVersion,
  type ResourceKind,
  SUBRESOURCE_VERBS,
  VERBS,
} from '@/sandbox/api/objects/resource-kind';

/** The Kubernetes version that the sandbox reports, and whose behavior it follows. */
export const SERVER_VERSION = { major: '1', minor: '36', gitVersion: 'v1.36.3+sandbox' };

/** `/apis` */
export function apiGroupList(table: KindTable): JsonObject {
  const groups = [...table.groups().keys()].filter((group) => group !== '');

  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map((group) => groupBody(table, group)) };
}

/** `/apis/<group>`, or undefined if there is none. */
export function apiGroup(table: KindTable, group: string): JsonObject | undefined {
  if (!table.groups().has(group)) return undefined;

  return { kind: 'APIGroup', apiVersion: 'v1', ...groupBody(table, group) };
}

function groupBody(table: KindTable, name: string): JsonObject {
  const versions = table.groups().get(name) ?? [];
  const entries = versions.map((version) => ({ groupVersion: groupVersion(name, version), version }));

  return { name, versions: entries, preferredVersion: entries[0] };
}

/** `/api/v1`, `/apis/<group>/<version>`, or undefined if it is not served. */
export function apiResourceList(table: KindTable, group: string, version: string): JsonObject | undefined {
  if (table.groups().get(group)?.includes(version) !== true) return undefined;
  const served = table.kinds.filter((kind) => kind.group === group && kind.versions.includes(version));
  const reviews = table.reviews.filter((review) => review.group === group && review.version === version);
  const resources = [
    ...served.flatMap((kind) => [
      resourceBody(kind),
      ...kind.subresources.map((subresource) => ({
        name: `${kind.plural}/${subresource}`,
        singularName: '',
        namespaced: kind.namespaced,
        ...responseKind(kind, subresource, version),
        verbs: [...SUBRESOURCE_VERBS[subresource]],
      })),
    ]),
    ...reviews.map(({ plural, kind, namespaced }) => ({
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
    shortNames: [...kind.shortNames],
    categories: [...kind.categories],
  };
}

function responseKind({ group, kind }: ResourceKind, subresource: string, version: string): JsonObject {
  switch (subresource) {
    case 'scale':
      return { group: 'autoscaling', version: 'v1', kind: 'Scale' };
    case 'binding':
      return { group: '', version: 'v1', kind: 'Binding' };
    default:
      return { group, version, kind };
  }
}
