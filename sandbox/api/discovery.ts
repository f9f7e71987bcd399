import type { JsonObject } from '@/lib/kube/json';
import {
  groupVersion,
  type KindTable,
  type ResourceKind,
  type Subresource,
  SUBRESOURCE_VERBS,
  VERBS,
} from '@/sandbox/api/objects/resource-kind';

/** The Kubernetes version that the sandbox reports, and whose behavior it follows. */
export const SERVER_VERSION = { major: '1', minor: '36', gitVersion: 'v1.36.3+sandbox' };

/** What a path that is no resource describes; undefined if there is nothing. */
export function describePath(table: KindTable, path: string): JsonObject | undefined {
  const [root, group = '', version = ''] = path.split('/').filter((part) => part !== '');
  switch (root) {
    case 'version':
      return SERVER_VERSION;
    case 'openapi':
      return path === '/openapi/v3' ? openApiIndex(table) : openApiDocument(table, path);
    case 'api':
      return group === '' ? { kind: 'APIVersions', versions: ['v1'] } : resourceList(table, '', group);
    case 'apis':
      if (group === '') return groupList(table);
      return version === '' ? groupBody(table, group) : resourceList(table, group, version);
    default:
      return undefined;
  }
}

function groupList(table: KindTable): JsonObject {
  const groups = [...table.groups().keys()].filter((group) => group !== '');
  const bodies = groups.map((group) => groupBody(table, group) ?? {});
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: bodies };
}

function groupBody(table: KindTable, name: string): JsonObject | undefined {
  const versions = table
    .groups()
    .get(name)
    ?.map((version) => ({
      groupVersion: groupVersion(name, version),
      version,
    }));
  return versions && { kind: 'APIGroup', apiVersion: 'v1', name, versions, preferredVersion: versions[0] };
}

function resourceList(table: KindTable, group: string, version: string): JsonObject | undefined {
  if (table.groups().get(group)?.includes(version) !== true) return undefined;
  const kinds = table.kinds.filter((kind) => kind.group === group && kind.versions.includes(version));
  const reviews = table.reviews.filter((review) => review.group === group);
  const resources = [
    ...kinds.flatMap((kind) => [
      resourceBody(kind),
      ...kind.subresources.map((subresource) => subresourceBody(kind, subresource, version)),
    ]),
    ...reviews.map(({ plural, kind }) => ({
      name: plural,
      singularName: plural.slice(0, -1),
      namespaced: false,
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

function resourceBody({ plural, singular, namespaced, kind, shortNames, categories }: ResourceKind) {
  return {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs: VERBS,
    shortNames: [...shortNames],
    categories: [...categories],
  };
}

function subresourceBody(kind: ResourceKind, subresource: Subresource, version: string) {
  const own = { group: kind.group, version, kind: kind.kind };
  const body = subresource === 'scale' ? { group: 'autoscaling', version: 'v1', kind: 'Scale' } : own;
  return {
    name: `${kind.plural}/${subresource}`,
    singularName: '',
    namespaced: kind.namespaced,
    ...body,
    verbs: [...SUBRESOURCE_VERBS[subresource]],
  };
}

/** The documents by path of the group and version: `/openapi/v3`. */
function openApiIndex(table: KindTable): JsonObject {
  const paths: JsonObject = {};
  for (const [group, versions] of table.groups())
    for (const path of versions.map((version) => pathOf(group, version)))
      paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=0` };
  return { paths };
}

/**
 * What kubectl reads before it writes: whether a kind can be patched, and that the server validates fields.
 * It has no schemas; for built-in kinds kubectl then uses its own.
 */
function openApiDocument(table: KindTable, path: string): JsonObject {
  const paths: JsonObject = {};
  const parameters = ['dryRun', 'fieldManager', 'fieldValidation'].map((name) => ({ name, in: 'query' }));
  for (const { group, versions, kind, plural, namespaced } of table.kinds)
    for (const version of versions) {
      const root = pathOf(group, version);
      if (path !== `/openapi/v3/${root}`) continue;
      paths[`/${root}/${namespaced ? 'namespaces/{namespace}/' : ''}${plural}/{name}`] = {
        patch: { parameters, responses: {}, 'x-kubernetes-group-version-kind': { group, version, kind } },
      };
    }
  return { openapi: '3.0.0', info: { title: 'Kubernetes', version: 'v1' }, paths };
}

function pathOf(group: string, version: string): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}
