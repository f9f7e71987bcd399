import { isJsonObject, type Json, memberOf } from '@/lib/kube/json';
import { type Subtree } from '@/lib/producers/replaced-subtrees';
import { pointer } from '@/lib/workloads/patch';
import { type JsonPatchOperation } from '@/lib/workloads/plan';

/**
 * One operation for each subtree of a spec: `add` replaces any value at its path. Its parents must exist, so
 * missing ones are added with it. https://www.rfc-editor.org/rfc/rfc6902#section-4.1
 */
export function addSubtrees(spec: Json, subtrees: readonly Subtree[]): JsonPatchOperation[] {
  let now = spec;
  return subtrees.map((subtree) => {
    const operation = addSubtree(now, subtree);
    now = withSubtree(now, subtree);
    return operation;
  });
}

/** The spec with the subtree in it; the argument is not changed. */
export function withSubtree(spec: Json, { path, value }: Subtree): Json {
  const [first, ...rest] = path;
  if (first === undefined) return value;
  const object = isJsonObject(spec) ? spec : {};
  return { ...object, [first]: withSubtree(memberOf(object, first) ?? {}, { path: rest, value }) };
}

function addSubtree(spec: Json, { path, value }: Subtree): JsonPatchOperation {
  let depth = 1;
  for (let at = memberOf(spec, path[0] ?? ''); depth < path.length && isJsonObject(at); depth += 1)
    at = memberOf(at, path[depth] ?? '');
  return {
    op: 'add',
    path: pointer('spec', ...path.slice(0, depth)),
    value: path.slice(depth).reduceRight<Json>((inner, name) => ({ [name]: inner }), value),
  };
}
