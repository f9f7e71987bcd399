import { type Alignment } from '@/lib/diff/align';
import { alignLists, alignUnknown, isObjectList } from '@/lib/diff/align-lists';
import { type ChangeKind } from '@/lib/diff/change';
import { entryName } from '@/lib/diff/entry';
import { type Field, POD_TEMPLATE, rootOf, type Struct } from '@/lib/diff/fields';
import { into, type Place, ROOT, spellOut, type Step } from '@/lib/diff/path';
import { deepEqual, isJsonObject, type Json, type JsonObject, memberOf } from '@/lib/kube/json';
import { isPodTemplate } from '@/lib/kube/recorded-parts';

/** A difference before it is put into words. */
export interface Difference {
  kind: ChangeKind;
  steps: readonly Step[];
  pointer: readonly (string | number)[];
  vanishes: number | null;
  /** Number of steps that lead to the pod template in recorded data that it lies in; null outside of one. */
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

/** Structs that a person sees as one value: any difference inside is one change. */
const WHOLE = new Set([
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

/** Structs that come or go as one value, though a person sees their members. */
const WHOLE_IF_NEW = new Set(['Probe', 'PodTemplateSpec', 'SubGroupPolicy', 'GroupClaimRetention']);

/** Structs of which one member, out of several that exclude each other, says what it is: another one is another thing. */
const ONE_OF: Readonly<Record<string, readonly string[]>> = {
  Probe: ['exec', 'httpGet', 'tcpSocket', 'grpc'],
  EnvVar: ['value', 'valueFrom'],
};

/** How many differences are told; of more than that a person learns nothing but their number. */
export const DIFFERENCES_MAX = 10_000;

/** Differences, in the order of the walk; those beyond {@link DIFFERENCES_MAX} are only counted. */
export class Found {
  readonly list: Difference[] = [];
  count = 0;

  get isTooLarge(): boolean {
    return this.count > DIFFERENCES_MAX;
  }

  add(at: Place, difference: Omit<Difference, 'steps' | 'pointer' | 'vanishes' | 'part'>): void {
    this.count += 1;
    if (this.count <= DIFFERENCES_MAX) this.list.push({ ...spellOut(at), ...difference });
  }
}

/** Every difference between two normalised templates, as coarse as a person would tell it. */
export function findDifferences(before: JsonObject, after: JsonObject): Found {
  const found = new Found();
  walkStruct(rootOf(after), before, after, ROOT, found);
  return found;
}

function walkStruct(struct: Struct, a: JsonObject, b: JsonObject, at: Place, found: Found): void {
  for (const key of unionOfKeys(a, b)) {
    const [before, after] = [memberOf(a, key), memberOf(b, key)];
    if (before === after) continue;
    walkField(struct.fields.get(key), before, after, into(at, 'field', key), found);
  }
}

function walkField(
  field: Field | undefined,
  a: Json | undefined,
  b: Json | undefined,
  at: Place,
  found: Found,
): void {
  if (field === undefined) return walkUnknown(a, b, at, found);
  switch (field.shape) {
    case 'scalar':
    case 'intOrString':
    case 'quantity':
    case 'opaque':
      return emitIfDifferent(a, b, at, null, found);
    case 'map':
      if (!isAbsentOr(isJsonObject, a) || !isAbsentOr(isJsonObject, b))
        return emitIfDifferent(a, b, at, null, found);
      return walkMap(a ?? {}, b ?? {}, at, found);
    case 'list':
      if (!isAbsentOr(Array.isArray, a) || !isAbsentOr(Array.isArray, b))
        return emitIfDifferent(a, b, at, null, found);
      return walkList(field, (a ?? []) as Json[], (b ?? []) as Json[], at, found);
    case 'struct':
      return walkNested(field, a, b, at, found);
    default:
      return field satisfies never;
  }
}

function walkNested(
  field: Extract<Field, { shape: 'struct' }>,
  a: Json | undefined,
  b: Json | undefined,
  at: Place,
  found: Found,
): void {
  const isNew = a === undefined;
  const isGone = b === undefined;
  if (!isAbsentOr(isJsonObject, a) || !isAbsentOr(isJsonObject, b)) {
    return emitIfDifferent(a, b, at, field.of.name, found);
  }
  if (isNew || isGone) {
    const present = a ?? b ?? {};
    if (WHOLE_IF_NEW.has(field.of.name) || WHOLE.has(field.of.name) || Object.keys(present).length === 0) {
      return emitIfDifferent(a, b, at, field.of.name, found);
    }
    const vanishes = isGone && field.nullable ? (at.vanishes ?? at.depth) : at.vanishes;
    return walkStruct(field.of, a ?? {}, b ?? {}, { ...at, vanishes }, found);
  }
  walkBoth(field.of, a, b, at, found);
}

/** Two values of one struct: as one change or member by member. */
function walkBoth(struct: Struct, a: JsonObject, b: JsonObject, at: Place, found: Found): void {
  const isSourced = struct.name === 'EnvVar' && a.valueFrom !== undefined;
  if (isSourced || WHOLE.has(struct.name) || typeOf(struct, a) !== typeOf(struct, b))
    emitIfDifferent(a, b, at, struct.name, found);
  else walkStruct(struct, a, b, at, found);
}

/** Which of the exclusive members of the struct the value has; `''` where there is no such choice. */
function typeOf(struct: Struct, value: JsonObject): string {
  const isVolume = struct.name === 'Volume';
  return Object.keys(value)
    .filter((key) => (isVolume ? key !== 'name' : ONE_OF[struct.name]?.includes(key)))
    .sort()
    .join();
}

function walkMap(a: JsonObject, b: JsonObject, at: Place, found: Found): void {
  for (const key of unionOfKeys(a, b)) {
    emitIfDifferent(memberOf(a, key), memberOf(b, key), into(at, 'key', key), null, found);
  }
}

function walkList(
  field: Extract<Field, { shape: 'list' }>,
  a: Json[],
  b: Json[],
  at: Place,
  found: Found,
): void {
  if (deepEqual(a, b)) return;
  const { of } = field;
  if (of === null && field.list.kind !== 'set') {
    const [before, after] = [a.length === 0 ? undefined : a, b.length === 0 ? undefined : b];
    return emitIfDifferent(before, after, at, null, found);
  }
  walkEntries(alignLists(field, a, b), a, b, of, at, found);
}

function walkEntries(
  aligned: Alignment,
  a: readonly Json[],
  b: readonly Json[],
  of: Struct | null,
  at: Place,
  found: Found,
): void {
  const struct = of?.name ?? null;
  const before = namedPlaces(struct, a, at);
  const after = namedPlaces(struct, b, at);
  const lists = { before: a, after: b };
  for (const [i, j] of aligned.pairs) {
    const [was, is] = [a[i], b[j]];
    if (aligned.moved.has(i)) found.add(before(i), { kind: 'moved', before: i, after: j, struct, lists });
    if (deepEqual(was, is)) continue;
    if (of === null || !isJsonObject(was) || !isJsonObject(is)) walkUnknown(was, is, before(i), found);
    else walkBoth(of, was, is, before(i), found);
  }
  for (const i of aligned.removed) emitIfDifferent(a[i], undefined, before(i), struct, found);
  for (const j of aligned.added) emitIfDifferent(undefined, b[j], after(j), struct, found);
}

/** The place of each entry; names are made up when the first is asked for, since most lists do not differ. */
function namedPlaces(struct: string | null, list: readonly Json[], at: Place): (index: number) => Place {
  let names: string[] | undefined;
  return (index) => {
    names ??= nameEntries(struct, list);
    return into(at, 'entry', names[index] ?? '', index);
  };
}

/** What the field table does not know: objects by member, lists by what looks like a key, the rest as one value. */
function walkUnknown(a: Json | undefined, b: Json | undefined, at: Place, found: Found): void {
  if (isPodTemplate(a) && isPodTemplate(b) && at.part === null) {
    walkStruct(POD_TEMPLATE, a, b, { ...at, part: at.depth }, found);
  } else if (isJsonObject(a) && isJsonObject(b)) {
    for (const key of unionOfKeys(a, b))
      walkUnknown(memberOf(a, key), memberOf(b, key), into(at, 'field', key), found);
  } else if (isObjectList(a) && isObjectList(b) && !deepEqual(a, b)) {
    walkEntries(alignUnknown(a, b), a, b, null, at, found);
  } else {
    emitIfDifferent(a, b, at, null, found);
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
  at: Place,
  struct: string | null,
  found: Found,
): void {
  if (deepEqual(before, after)) return;
  const kind = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  found.add(at, { kind, before, after, struct, lists: null });
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
