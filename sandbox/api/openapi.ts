import { type JsonObject } from '@/lib/kube/json';
import { type KindTable } from '@/sandbox/api/kind-table';
import { type ResourceKind } from '@/sandbox/api/objects/resource-kind';

/** The documents by path of the group and version: `/openapi/v3`. */
export function openApiIndex(table: KindTable): JsonObject {
  const paths = [...table.groups()].flatMap(([group, versions]) =>
    versions.map((version) => pathOf(group, version)),
  );

  return {
    paths: Object.fromEntries(
      paths.map((path) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=0` }]),
    ),
  };
}

/**
 * What kubectl reads before it writes: whether a kind can be patched, and that the server validates fields.
 * It has no schemas; for built-in kinds kubectl then uses its own. Undefined if there is no such group.
 */
export function openApiDocument(table: KindTable, path: string): JsonObject | undefined {
  for (const [group, versions] of table.groups()) {
    const version = versions.find((known) => `/openapi/v3/${pathOf(group, known)}` === path);
    if (version === undefined) continue;
    const kinds = table.kinds.filter((kind) => kind.group === group && kind.versions.includes(version));
    return {
      openapi: '3.0.0',
      info: { title: 'Kubernetes', version: 'v1' },
      paths: Object.fromEntries(
        kinds.map((kind) => [objectPath(kind, version), patchOperation(kind, version)]),
      ),
    };
  }
  return undefined;
}

function pathOf(group: string, version: string): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

function objectPath({ group, plural, namespaced }: ResourceKind, version: string): string {
  const root = `/${pathOf(group, version)}`;

  return namespaced ? `${root}/namespaces/{namespace}/${plural}/{name}` : `${root}/${plural}/{name}`;
}

function patchOperation({ group, kind }: ResourceKind, version: string): JsonObject {
  return {
    patch: {
      parameters: ['dryRun', 'fieldManager', 'fieldValidation'].map((name) => ({ name, in: 'query' })),
      responses: {},
      'x-kubernetes-group-version-kind': { group, version, kind },
    },
  };
}
