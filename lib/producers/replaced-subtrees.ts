import { isJsonObject, type Json, type JsonObject, setMember, memberOf } from '@/lib/kube/json';
import type { RecordedData } from '@/lib/kube/recorded-data';
import { pointer } from '@/lib/workloads/patch';
import type { JsonPatchOperation } from '@/lib/workloads/plan';

/** A subtree of the spec that a revision records completely: it replaces the current value, member for member. */
export interface Subtree {
  /** Names of members, from `spec` on, which is omitted. */
  path: readonly string[];
  /** Without directives. */
  value: Json;
}

/** What prevents treating recorded data as a list of such subtrees. */
export type Obstacle =
  | { code: 'no_spec_patch' }
  /** Recorded without a replace directive. */
  | { code: 'unmarked'; path: readonly string[] }
  /** A directive other than replace. */
  | { code: 'directive'; path: readonly string[] }
  /** The entire spec would be replaced, including everything besides the template. */
  | { code: 'whole_spec' };

interface ReplacedSubtrees {
  subtrees: readonly Subtree[];
  obstacles: readonly Obstacle[];
}

/**
 * The subtrees of a strategic merge patch of a spec with a replace directive: an object by its member
 * `$patch`, a list by an entry with that member alone. Any other recorded value is an obstacle, since a merge
 * depends on a schema that is not available here.
 * https://kubernetes.io/docs/tasks/manage-kubernetes-objects/update-api-object-kubectl-patch/
 */
export function findReplacedSubtrees({ data }: RecordedData): ReplacedSubtrees {
  if (!isJsonObject(data) || !isJsonObject(data.spec) || Object.keys(data).some((key) => key !== 'spec'))
    return { subtrees: [], obstacles: [{ code: 'no_spec_patch' }] };
  const found: { subtrees: Subtree[]; obstacles: Obstacle[] } = { subtrees: [], obstacles: [] };
  visit(data.spec, [], found);
  return found;
}

function visit(
  value: Json,
  path: readonly string[],
  found: { subtrees: Subtree[]; obstacles: Obstacle[] },
): void {
  if (isReplacing(value)) {
    const plain = withoutDirectives(value);
    if (plain === undefined) found.obstacles.push({ code: 'directive', path });
    else if (path.length === 0) found.obstacles.push({ code: 'whole_spec' });
    else found.subtrees.push({ path, value: plain });
    return;
  }
  if (!isJsonObject(value) || Object.keys(value).length === 0) {
    found.obstacles.push({ code: 'unmarked', path });
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    if (key.startsWith('$')) found.obstacles.push({ code: 'directive', path });
    else if (member !== undefined) visit(member, [...path, key], found);
  }
}

function isReplacing(value: Json): value is JsonObject | Json[] {
  if (Array.isArray(value)) return value.some(isDirective);
  return isJsonObject(value) && value.$patch === 'replace';
}

/** An entry of a list that holds a directive and nothing else. */
function isDirective(entry: Json): boolean {
  return isJsonObject(entry) && entry.$patch === 'replace' && Object.keys(entry).length === 1;
}

/**
 * A copy without the replace directives; undefined where another directive is in it, which would be written
 * as data.
 */
function withoutDirectives(value: Json): Json | undefined {
  if (Array.isArray(value)) {
    const entries = value.filter((entry) => !isDirective(entry)).map(withoutDirectives);
    return entries.every((entry) => entry !== undefined) ? entries : undefined;
  }
  if (!isJsonObject(value)) return value;
  const copy: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    if (key === '$patch' && member === 'replace') continue;
    if (DIRECTIVE.test(key)) return undefined;
    if (member === undefined || member === null) continue;
    const plain = withoutDirectives(member);
    if (plain === undefined) return undefined;
    setMember(copy, key, plain);
  }
  return copy;
}

const DIRECTIVE = /^\$(?:patch|retainKeys|setElementOrder\/.*|deleteFromPrimitiveList\/.*)$/;

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
