import { deepEqual, type Json, type JsonObject } from '@/lib/kube/json';
import type { JsonPatchOperation, NeededRight, PlannedWrite } from '@/lib/workloads/plan';
import { objectAt, valueAt } from '@/lib/kube/read';
import { resourcePath, type ResourceType } from '@/lib/kube/resource';
import { quoteShellWord } from '@/lib/format/text';
import type { Workload } from '@/lib/history/workload';

/** A JSON pointer from member names. https://www.rfc-editor.org/rfc/rfc6901 */
export function pointer(...names: readonly string[]): string {
  return names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Member names of a JSON pointer. https://www.rfc-editor.org/rfc/rfc6901 */
export function namesOf(path: string): string[] {
  return path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Sets a member with a known current value; undefined means that it is absent, which `test` spells as null. */
export function setTested(path: string, current: Json | undefined, value: Json): JsonPatchOperation[] {
  return [
    { op: 'test', path, value: current ?? null },
    { op: 'add', path, value },
  ];
}

/**
 * The same for a member at `path` under the spec, whose parents are created where they are missing: the first with the
 * members of `created` besides.
 */
export function setMember(
  { spec }: Pick<Workload, 'spec'>,
  path: readonly string[],
  value: Json,
  created?: JsonObject,
): JsonPatchOperation[] {
  const parents = path.slice(0, -1);
  const missing = parents.findIndex((_, index) => objectAt(spec, ...path.slice(0, index + 1)) === undefined);
  if (missing === -1) return setTested(pointer('spec', ...path), valueAt(spec, ...path), value);
  const content = nested(path.slice(missing + 1), value);
  const parent = pointer('spec', ...path.slice(0, missing + 1));
  return setTested(parent, undefined, missing === 0 ? { ...created, ...content } : content);
}

export function testUid(workload: Pick<Workload, 'uid'>): JsonPatchOperation {
  return { op: 'test', path: '/metadata/uid', value: workload.uid };
}

/** Nothing at all was written since the viewer saw the object. */
export function testUnchanged(workload: Pick<Workload, 'uid' | 'resourceVersion'>): JsonPatchOperation[] {
  return [
    testUid(workload),
    { op: 'test', path: '/metadata/resourceVersion', value: workload.resourceVersion },
  ];
}

/** Replaces the template that the viewer saw by another one, and nothing else. `members` lead to it. */
export function replaceTemplate(
  object: Pick<Workload, 'uid'>,
  current: JsonObject,
  template: JsonObject,
  members: readonly string[] = ['spec', 'template'],
): JsonPatchOperation[] {
  const path = pointer(...members);
  return [testUid(object), { op: 'test', path, value: current }, { op: 'replace', path, value: template }];
}

export function patchWorkload(
  resource: ResourceType,
  workload: Pick<Workload, 'version' | 'namespace' | 'name'>,
  patch: readonly JsonPatchOperation[],
): PlannedWrite {
  const { version, namespace, name } = workload;
  return { kind: 'patch', path: resourcePath(resource, version, namespace, name), patch };
}

export function patchRight(
  resource: ResourceType,
  { namespace, name }: Pick<Workload, 'namespace' | 'name'>,
): NeededRight {
  return { verb: 'patch', group: resource.group, resource: resource.plural, namespace, name };
}

/** `kubectl -n shop rollout undo deployment/checkout --to-revision=42`; words are quoted where necessary. */
export function kubectlCommand(namespace: string, ...words: readonly string[]): string {
  return ['kubectl', '-n', namespace, ...words].map(quoteShellWord).join(' ');
}

/** Kinds of others are qualified by their group: the short names mean the kinds of Kubernetes. */
export function objectName({ isCustom, id, kind }: ResourceType, name: string): string {
  return `${isCustom === true ? id : kind.toLowerCase()}/${name}`;
}

/** `kubectl -n shop patch statefulset/db --type=merge -p '{…}'`; `object` with its resource, in one word or several. */
export function mergePatchCommand(
  namespace: string,
  object: string | readonly string[],
  patch: JsonObject,
): string {
  return kubectlCommand(namespace, 'patch', ...[object].flat(), '--type=merge', '-p', JSON.stringify(patch));
}

/** The value at the end of nested members: `{a: {b: value}}`. */
export function nested(path: readonly string[], value: Json): JsonObject {
  const [first = '', ...rest] = path;
  return { [first]: rest.length === 0 ? value : nested(rest, value) };
}

type Scalar = string | number | boolean | null;

/** The plain values that a patch sets; null for a member that it removes. */
export function scalarsOf(patch: readonly JsonPatchOperation[]): { path: string; value: Scalar }[] {
  return patch.flatMap((operation) => {
    if (operation.op === 'test') return [];
    const value = operation.op === 'remove' ? null : operation.value;
    return value !== null && typeof value === 'object' ? [] : [{ path: operation.path, value }];
  });
}

/** Whether an object has these values. The API server leaves out a member whose value is the empty one. */
export function hasValues(object: JsonObject, values: readonly { path: string; value: Scalar }[]): boolean {
  const normalized = (value: Json | undefined) => (value === false || value === 0 ? null : (value ?? null));
  return values.every(
    ({ path, value }) => normalized(valueAt(object, ...namesOf(path))) === normalized(value),
  );
}

/** Paths whose value is no longer what the patch tests for; null stands for a missing member. */
export function failedTests(object: JsonObject, patch: readonly JsonPatchOperation[]): string[] {
  return patch.flatMap((operation) => {
    if (operation.op !== 'test') return [];
    const current = valueAt(object, ...namesOf(operation.path)) ?? null;
    return deepEqual(current, operation.value) ? [] : [operation.path];
  });
}
