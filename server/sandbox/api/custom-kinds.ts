import { type Field, type Struct } from '@/lib/diff/fields';
import { type Json, type JsonObject } from '@/lib/kube/json';
import { type ApiCore } from '@/server/sandbox/api/api-core';
import { defineKind } from '@/server/sandbox/api/builtin-kinds';
import { AGE, ageText } from '@/server/sandbox/api/columns/age';
import {
  type Column,
  type ResourceKind,
  type ScalePaths,
  type Subresource,
} from '@/server/sandbox/api/resource-kind';
import { listAt, objectAt, showJson, type StoredObject, textAt } from '@/server/sandbox/api/stored-object';

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';

/**
 * Serves each kind that a CustomResourceDefinition describes, from its creation to its deletion. Fields are taken as
 * they come: of the schema only the keys of lists are read, which decide what of a list each writer owns.
 */
export function serveCustomKinds({ store, kinds }: ApiCore): void {
  for (const definition of store.list(DEFINITIONS)) kinds.add(kindOfDefinition(definition));
  store.subscribe(({ collection, type, object }) => {
    if (collection !== DEFINITIONS) return;
    const kind = kindOfDefinition(object);
    if (type !== 'DELETED') {
      kinds.add(kind);
      return;
    }
    kinds.remove(kind.group, kind.plural);
    for (const left of store.list(object.metadata.name)) store.remove(object.metadata.name, left);
  });
}

function kindOfDefinition({ spec }: StoredObject): ResourceKind {
  const versions = listAt(spec, 'versions').filter((version) => objectAt(version).served === true);
  const stored = versions.find((version) => objectAt(version).storage === true) ?? versions[0];
  const names = versions.map((version) => textAt(version, 'name'));
  const preferred = textAt(stored, 'name');
  return defineKind({
    group: textAt(spec, 'group'),
    kind: textAt(spec, 'names', 'kind'),
    plural: textAt(spec, 'names', 'plural'),
    singular: textAt(spec, 'names', 'singular') || textAt(spec, 'names', 'kind').toLowerCase(),
    versions: [preferred, ...names.filter((name) => name !== preferred)],
    shortNames: listAt(spec, 'names', 'shortNames').map(showJson),
    categories: listAt(spec, 'names', 'categories').map(showJson),
    namespaced: textAt(spec, 'scope') === 'Namespaced',
    subresources: Object.keys(objectAt(stored, 'subresources')) as Subresource[],
    ...scaleAt(stored),
    hasGeneration: true,
    keyedLists: keyedListsOf(objectAt(stored, 'schema', 'openAPIV3Schema')),
    columns: columnsOf(stored),
  });
}

/** Whatever else a schema says is left out. */
function keyedListsOf(schema: JsonObject): Struct {
  const fields = Object.entries(objectAt(schema, 'properties')).flatMap(([name, described]) => {
    const field = fieldOf(objectAt(described));
    return field === undefined ? [] : [[name, field] as const];
  });
  return { name: '', fields: new Map(fields) };
}

function fieldOf(schema: JsonObject): Field | undefined {
  if (schema['x-kubernetes-list-type'] === 'map') {
    const keys = listAt(schema, 'x-kubernetes-list-map-keys').map(showJson);
    return { shape: 'list', of: keyedListsOf(objectAt(schema, 'items')), list: { kind: 'map', keys } };
  }
  if (schema.properties === undefined) return undefined;
  return { shape: 'struct', nullable: true, of: keyedListsOf(schema) };
}

function scaleAt(version: Json | undefined): { scale?: ScalePaths } {
  const scale = objectAt(version, 'subresources', 'scale');
  if (scale.specReplicasPath === undefined) return {};
  const selector = textAt(scale, 'labelSelectorPath');
  return {
    scale: {
      replicas: pathOf(textAt(scale, 'specReplicasPath')),
      statusReplicas: pathOf(textAt(scale, 'statusReplicasPath')),
      selector: selector === '' ? undefined : pathOf(selector),
    },
  };
}

/** Of member names, such as `.status.phase` or `.metadata.annotations['a\\.b']`: what the kinds here use. */
function pathOf(text: string): string[] {
  return [...text.matchAll(/\['((?:[^'\\]|\\.)*)'\]|[^.[]+(?:\[\*\])?/g)].map(
    ([step, quoted]) => quoted?.replace(/\\(.)/g, '$1') ?? step,
  );
}

function columnsOf(version: Json | undefined): Column[] {
  const columns = listAt(version, 'additionalPrinterColumns').map((column) => columnOf(objectAt(column)));
  return columns.length === 0 ? [AGE] : columns;
}

/** Of a list the first item is shown, as upstream does: `.spec.containers[*].name`. */
function columnOf(column: JsonObject): Column {
  const type = textAt(column, 'type') as Column['type'];
  const path = pathOf(textAt(column, 'jsonPath'));
  return {
    name: textAt(column, 'name'),
    type: type === 'date' ? 'string' : type,
    wide: column.priority !== undefined && column.priority !== 0,
    cell: (object, now) => {
      const value = valueAt(object, path);
      if (type === 'date') return ageText(value, now);
      return value ?? null;
    },
  };
}

function valueAt(object: StoredObject, path: readonly string[]): Json | undefined {
  let value: Json | undefined = object as object as JsonObject;
  for (const step of path) {
    const [name = '', ofList] = step.split('[*]');
    value = ofList === undefined ? objectAt(value)[name] : listAt(value, name)[0];
  }
  return value;
}
