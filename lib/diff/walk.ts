import type { Alignment } from '@/lib/diff/align';
import { alignLists, alignUnknown, isObjectList } from '@/lib/diff/align-lists';
import type { ChangeKind } from '@/lib/api/diff-values';
import { entryName } from '@/lib/diff/entry';
import { CONTAINER, POD_TEMPLATE, rootOf } from '@/lib/diff/structs';
import { childNode, type PathNode, ROOT, expandPath, nodeAt, type PathStep } from '@/lib/diff/path';
import type { Field, Struct } from '@/lib/kube/fields';
import { deepEqual, isJsonObject, type Json, type JsonObject, memberOf } from '@/lib/kube/json';
import { isPodTemplate } from '@/lib/kube/recorded-pod-templates';

/** A difference before it is described. */
export interface Difference {
  kind: ChangeKind;
  steps: readonly PathStep[];
  pointer: readonly (string | number)[];
  vanishes: number | null;
  /** Number of steps to the pod template in recorded data that contains it; null outside of one. */
  part: number | null;
  before: Json | undefined;
  after: Json | undefined;
  /** Name of the Go struct of the value, where it has one. */
  struct: string | null;
  /** Of a moved entry: its list, the same object for all entries of it. */
  lists: Lists | null;
}

/** Both sides of one list. */
export interface Lists {
  before: readonly Json[];
  after: readonly Json[];
}

/** Structs displayed as one value: any difference inside is one change. */
const ATOMIC_STRUCTS = new Set([
  'LifecycleHandler',
  'VolumeMount',
  'VolumeDevice',
  'ContainerPort',
  'ContainerResizePolicy',
  'ContainerRestartRule',
  'EnvFromSource',
  'Toleration',
  'HostAlias',
  'ResourceClaim',
  'PodResourceClaim',
  'KeyToPath',
  'DownwardAPIVolumeFile',
  'VolumeProjection',
  'HTTPHeader',
  'Sysctl',
  'PodDNSConfigOption',
  'OwnerReference',
  'SeccompProfile',
  'AppArmorProfile',
  'SELinuxOptions',
  'LabelSelector',
  'NodeSelectorTerm',
  'PreferredSchedulingTerm',
  'PodAffinityTerm',
  'WeightedPodAffinityTerm',
  'LocalObjectReference',
  'TypedLocalObjectReference',
  'TypedObjectReference',
  'EvictionResponder',
]);

/** Structs added or removed as one value, though their members are displayed. */
const ATOMIC_IF_NEW = new Set(['Probe', 'PodTemplateSpec', 'SubGroupPolicy', 'GroupClaimRetention']);

/** Structs in which one of several exclusive members decides the type: another member is another type. */
const EXCLUSIVE_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  Probe: ['exec', 'httpGet', 'tcpSocket', 'grpc'],
  EnvVar: ['value', 'valueFrom'],
};

/** How many differences are described; beyond that only their number is shown. */
export const DIFFERENCES_MAX = 10_000;

/**
 * The struct of a difference in what a container is in its pod. Its values are its list, its position there, and the
 * `restartPolicy` that decides the rest.
 */
export const CONTAINER_TYPE = 'ContainerType';

/** Differences, in the order of the walk; those beyond {@link DIFFERENCES_MAX} are only counted. */
class Differences {
  list: Difference[] = [];
  count = 0;

  get isTooLarge(): boolean {
    return this.count > DIFFERENCES_MAX;
  }

  add(at: PathNode, difference: Omit<Difference, 'steps' | 'pointer' | 'vanishes' | 'part'>): void {
    this.count += 1;
    if (this.count <= DIFFERENCES_MAX) this.list.push({ ...expandPath(at), ...difference });
  }

  remove(differences: ReadonlySet<Difference>): void {
    this.count -= differences.size;
    this.list = this.list.filter((difference) => !differences.has(difference));
  }
}

/** Every difference between two normalized templates, as coarse as a person would describe it. */
export function findDifferences(before: JsonObject, after: JsonObject): Differences {
  const differences = new Differences();
  walkStruct(rootOf(after), before, after, ROOT, differences);
  if (!differences.isTooLarge) pairContainers(differences);
  return differences;
}

/**
 * A container that becomes a native sidecar leaves one list of its pod for the other, and remains the same container: the
 * change of its type and what else differs in it replace both entries. The reverse too.
 * https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/
 */
function pairContainers(differences: Differences): void {
  const byContainer = Map.groupBy(differences.list, keyOfContainer);
  byContainer.delete(null);
  const pairs = [...byContainer.values()].flatMap(([first, second, ...others]) => {
    if (first === undefined || second === undefined || others.length > 0) return [];
    const [removed, added] = first.kind === 'removed' ? [first, second] : [second, first];
    const [a, b] = [removed.before, added.after];
    if (!isJsonObject(a) || !isJsonObject(b) || removed.pointer.at(-2) === added.pointer.at(-2)) return [];
    return [{ removed, added, a, b }];
  });
  differences.remove(new Set(pairs.flatMap(({ removed, added }) => [removed, added])));
  for (const { removed, added, a, b } of pairs) {
    const at = nodeAt(removed);
    const [before, after] = [typeOf(removed, a), typeOf(added, b)];
    differences.add(at, { kind: 'changed', before, after, struct: CONTAINER_TYPE, lists: null });
    walkStruct(CONTAINER, { ...a, restartPolicy: null }, { ...b, restartPolicy: null }, at, differences);
  }
}

/** The same for a container of a pod and a native sidecar of its name; null for anything else, such as an init container. */
function keyOfContainer({ kind, struct, steps, vanishes, before, after }: Difference): string | null {
  const value = before ?? after;
  const list = steps.at(-2)?.name;
  if (kind === 'moved' || struct !== CONTAINER.name || vanishes !== null || !isJsonObject(value)) return null;
  if (typeof value.name !== 'string' || list === undefined) return null;
  if (list !== 'containers' && value.restartPolicy !== 'Always') return null;
  return JSON.stringify([...steps.slice(0, -2), value.name]);
}

function typeOf({ pointer }: Difference, { restartPolicy }: JsonObject): JsonObject {
  const [list = '', index = 0] = pointer.slice(-2);
  return restartPolicy === undefined ? { list, index } : { list, index, restartPolicy };
}

function walkStruct(
  struct: Struct,
  a: JsonObject,
  b: JsonObject,
  at: PathNode,
  differences: Differences,
): void {
  for (const key of unionOfKeys(a, b)) {
    const [before, after] = [memberOf(a, key), memberOf(b, key)];
    if (before === after) continue;
    walkField(struct.fields.get(key), before, after, childNode(at, 'field', key), differences);
  }
}

function walkField(
  field: Field | undefined,
  a: Json | undefined,
  b: Json | undefined,
  at: PathNode,
  differences: Differences,
): void {
  if (field === undefined) return walkUnknown(a, b, at, differences);
  switch (field.shape) {
    case 'scalar':
    case 'intOrString':
    case 'quantity':
    case 'opaque':
      return emitIfDifferent(a, b, at, null, differences);
    case 'map':
      if (!isAbsentOr(isJsonObject, a) || !isAbsentOr(isJsonObject, b))
        return emitIfDifferent(a, b, at, null, differences);
      return walkMap(a ?? {}, b ?? {}, at, differences);
    case 'list':
      if (!isAbsentOr(Array.isArray, a) || !isAbsentOr(Array.isArray, b))
        return emitIfDifferent(a, b, at, null, differences);
      return walkList(field, (a ?? []) as Json[], (b ?? []) as Json[], at, differences);
    case 'struct':
      return walkNested(field, a, b, at, differences);
    default:
      return field satisfies never;
  }
}

function walkNested(
  field: Extract<Field, { shape: 'struct' }>,
  a: Json | undefined,
  b: Json | undefined,
  at: PathNode,
  differences: Differences,
): void {
  const isNew = a === undefined;
  const isRemoved = b === undefined;
  if (!isAbsentOr(isJsonObject, a) || !isAbsentOr(isJsonObject, b)) {
    return emitIfDifferent(a, b, at, field.of.name, differences);
  }
  if (isNew || isRemoved) {
    const object = a ?? b ?? {};
    if (
      ATOMIC_IF_NEW.has(field.of.name) ||
      ATOMIC_STRUCTS.has(field.of.name) ||
      Object.keys(object).length === 0
    ) {
      return emitIfDifferent(a, b, at, field.of.name, differences);
    }
    const vanishes = isRemoved && field.nullable ? (at.vanishes ?? at.depth) : at.vanishes;
    return walkStruct(field.of, a ?? {}, b ?? {}, { ...at, vanishes }, differences);
  }
  walkBoth(field.of, a, b, at, differences);
}

/** Two values of one struct: as one change or member by member. */
function walkBoth(
  struct: Struct,
  a: JsonObject,
  b: JsonObject,
  at: PathNode,
  differences: Differences,
): void {
  const isSourced = struct.name === 'EnvVar' && a.valueFrom !== undefined;
  if (
    isSourced ||
    ATOMIC_STRUCTS.has(struct.name) ||
    exclusiveMembersOf(struct, a) !== exclusiveMembersOf(struct, b)
  )
    emitIfDifferent(a, b, at, struct.name, differences);
  else walkStruct(struct, a, b, at, differences);
}

/** Which of the exclusive members of the struct the value has; `''` where there is no such choice. */
function exclusiveMembersOf(struct: Struct, value: JsonObject): string {
  const isVolume = struct.name === 'Volume';
  return Object.keys(value)
    .filter((key) => (isVolume ? key !== 'name' : EXCLUSIVE_MEMBERS[struct.name]?.includes(key)))
    .sort()
    .join();
}

function walkMap(a: JsonObject, b: JsonObject, at: PathNode, differences: Differences): void {
  for (const key of unionOfKeys(a, b)) {
    emitIfDifferent(memberOf(a, key), memberOf(b, key), childNode(at, 'key', key), null, differences);
  }
}

function walkList(
  field: Extract<Field, { shape: 'list' }>,
  a: Json[],
  b: Json[],
  at: PathNode,
  differences: Differences,
): void {
  if (deepEqual(a, b)) return;
  const { of } = field;
  if (of === null && field.list.kind !== 'set') {
    const [before, after] = [a.length === 0 ? undefined : a, b.length === 0 ? undefined : b];
    return emitIfDifferent(before, after, at, null, differences);
  }
  walkEntries(alignLists(field, a, b), a, b, of, at, differences);
}

function walkEntries(
  aligned: Alignment,
  a: readonly Json[],
  b: readonly Json[],
  of: Struct | null,
  at: PathNode,
  differences: Differences,
): void {
  const struct = of?.name ?? null;
  const before = namedPlaces(struct, a, at);
  const after = namedPlaces(struct, b, at);
  const lists = { before: a, after: b };
  for (const [i, j] of aligned.pairs) {
    const [was, is] = [a[i], b[j]];
    if (aligned.moved.has(i))
      differences.add(before(i), { kind: 'moved', before: i, after: j, struct, lists });
    if (deepEqual(was, is)) continue;
    if (of === null || !isJsonObject(was) || !isJsonObject(is)) walkUnknown(was, is, before(i), differences);
    else walkBoth(of, was, is, before(i), differences);
  }
  for (const i of aligned.removed) emitIfDifferent(a[i], undefined, before(i), struct, differences);
  for (const j of aligned.added) emitIfDifferent(undefined, b[j], after(j), struct, differences);
}

/** The place of each entry; names are generated on first use, since most lists do not differ. */
function namedPlaces(
  struct: string | null,
  list: readonly Json[],
  at: PathNode,
): (index: number) => PathNode {
  let names: string[] | undefined;
  return (index) => {
    names ??= nameEntries(struct, list);
    return childNode(at, 'entry', names[index] ?? '', index);
  };
}

/** For fields outside the field table: objects by member, lists by a likely key, the rest as one value. */
function walkUnknown(a: Json | undefined, b: Json | undefined, at: PathNode, differences: Differences): void {
  if (isPodTemplate(a) && isPodTemplate(b) && at.part === null) {
    walkStruct(POD_TEMPLATE, a, b, { ...at, part: at.depth }, differences);
  } else if (isJsonObject(a) && isJsonObject(b)) {
    for (const key of unionOfKeys(a, b))
      walkUnknown(memberOf(a, key), memberOf(b, key), childNode(at, 'field', key), differences);
  } else if (isObjectList(a) && isObjectList(b) && !deepEqual(a, b)) {
    walkEntries(alignUnknown(a, b), a, b, null, at, differences);
  } else {
    emitIfDifferent(a, b, at, null, differences);
  }
}

function nameEntries(struct: string | null, list: readonly Json[]): string[] {
  const seen = new Map<string, number>();
  return list.map((entry, index) => {
    const name = entryName(struct, entry) ?? String(index);
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name}#${count}`;
  });
}

function emitIfDifferent(
  before: Json | undefined,
  after: Json | undefined,
  at: PathNode,
  struct: string | null,
  differences: Differences,
): void {
  if (deepEqual(before, after)) return;
  const kind = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  differences.add(at, { kind, before, after, struct, lists: null });
}

function unionOfKeys(a: JsonObject, b: JsonObject): string[] {
  const keys = Object.keys(a);
  for (const key of Object.keys(b)) if (!Object.hasOwn(a, key)) keys.push(key);
  return keys;
}

function isAbsentOr<T>(
  test: (value: unknown) => value is T,
  value: Json | undefined,
): value is (T & Json) | undefined {
  return value === undefined || test(value);
}
