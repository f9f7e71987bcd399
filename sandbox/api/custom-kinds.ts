import type { Field, Struct } from '@/lib/kube/fields';
import type { Json, JsonObject } from '@/lib/kube/json';
import type { ApiCore } from '@/sandbox/api/api-core';
import { defineKind } from '@/sandbox/api/builtin-kinds';
import type { ResourceKind, ScalePaths, Subresource } from '@/sandbox/api/objects/resource-kind';
import {
  listOrEmptyAt,
  objectOrEmptyAt,
  showJson,
  type StoredObject,
  textOrEmptyAt,
} from '@/sandbox/api/objects/stored-object';

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';

/**
 * Serves each kind that a CustomResourceDefinition describes, from its creation until its deletion. Fields
 * are not validated: only the keys of lists are read from the schema, for the ownership of list entries.
 */
export function serveCustomKinds({ store, kinds }: ApiCore): void {
  for (const definition of store.list(DEFINITIONS)) kinds.add(kindOfDefinition(definition));
  store.subscribe(({ collection, type, object }) => {
    if (collection !== DEFINITIONS) return;
    const kind = kindOfDefinition(object);
    if (type !== 'DELETED') return kinds.add(kind);
    kinds.remove(kind);
    for (const left of store.list(object.metadata.name)) store.remove(object.metadata.name, left);
  });
}

function kindOfDefinition({ spec }: StoredObject): ResourceKind {
  const versions = listOrEmptyAt(spec, 'versions').filter(
    (version) => objectOrEmptyAt(version).served === true,
  );
  const stored = versions.find((version) => objectOrEmptyAt(version).storage === true) ?? versions[0];
  const names = versions.map((version) => textOrEmptyAt(version, 'name'));
  const preferred = textOrEmptyAt(stored, 'name');
  const kind = textOrEmptyAt(spec, 'names', 'kind');
  return defineKind(textOrEmptyAt(spec, 'group'), kind, {
    plural: textOrEmptyAt(spec, 'names', 'plural'),
    singular: textOrEmptyAt(spec, 'names', 'singular') || kind.toLowerCase(),
    versions: [preferred, ...names.filter((name) => name !== preferred)],
    shortNames: listOrEmptyAt(spec, 'names', 'shortNames').map(showJson),
    categories: listOrEmptyAt(spec, 'names', 'categories').map(showJson),
    namespaced: textOrEmptyAt(spec, 'scope') === 'Namespaced',
    subresources: Object.keys(objectOrEmptyAt(stored, 'subresources')) as Subresource[],
    ...scaleAt(stored),
    hasGeneration: true,
    keyedLists: keyedListsOf(objectOrEmptyAt(stored, 'schema', 'openAPIV3Schema')),
  });
}

/** The rest of the schema is ignored. */
function keyedListsOf(schema: JsonObject): Struct {
  const fields = Object.entries(objectOrEmptyAt(schema, 'properties')).flatMap(([name, described]) => {
    const field = fieldOf(objectOrEmptyAt(described));
    return field === undefined ? [] : [[name, field] as const];
  });
  return { name: '', fields: new Map(fields) };
}

function fieldOf(schema: JsonObject): Field | undefined {
  if (schema['x-kubernetes-list-type'] === 'map') {
    const keys = listOrEmptyAt(schema, 'x-kubernetes-list-map-keys').map(showJson);
    return { shape: 'list', of: keyedListsOf(objectOrEmptyAt(schema, 'items')), list: { kind: 'map', keys } };
  }
  if (schema.properties === undefined) return undefined;
  return { shape: 'struct', nullable: true, of: keyedListsOf(schema) };
}

function scaleAt(version: Json | undefined): { scale?: ScalePaths } {
  const scale = objectOrEmptyAt(version, 'subresources', 'scale');
  if (scale.specReplicasPath === undefined) return {};
  const selector = textOrEmptyAt(scale, 'labelSelectorPath');
  return {
    scale: {
      replicas: pathOf(textOrEmptyAt(scale, 'specReplicasPath')),
      statusReplicas: pathOf(textOrEmptyAt(scale, 'statusReplicasPath')),
      selector: selector === '' ? undefined : pathOf(selector),
    },
  };
}

/** Of member names, such as `.spec.replicas`. */
function pathOf(text: string): string[] {
  return text.split('.').filter((name) => name !== '');
}
