import { type Field } from '@/lib/kube/fields';
import { isJsonObject, type Json, type JsonObject, setMember } from '@/lib/kube/json';
import { entryKey, fieldIn, isGranular, itemField } from '@/sandbox/api/field-changes';
import { FieldSet } from '@/sandbox/api/field-set';
import { type ResourceKind } from '@/sandbox/api/objects/resource-kind';

/**
 * The live object with a configuration: objects merged by their members, lists by their keys, and without what its
 * manager applied `last` and what has no owner now. Changes `live`.
 * https://github.com/kubernetes-sigs/structured-merge-diff/blob/master/merge/update.go
 */
export function mergeConfiguration(
  { schema, keyedLists }: ResourceKind,
  live: JsonObject,
  configuration: JsonObject,
  { last, owned }: { last: FieldSet; owned: FieldSet },
): JsonObject {
  const struct = schema ?? keyedLists;
  const root: Field | undefined = struct && { shape: 'struct', nullable: false, of: struct };
  merge(root, '', live, configuration);
  removeAbandoned(root, live, last, owned);
  return live;
}

function merge(field: Field | undefined, name: string, live: Json | undefined, applied: Json): Json {
  if (!isGranular(field, name, applied)) return applied;
  if (isJsonObject(live) && isJsonObject(applied)) {
    for (const [key, value = null] of Object.entries(applied))
      setMember(live, key, merge(fieldIn(field, key), key, live[key], value));
    return live;
  }
  return field?.shape === 'list' && Array.isArray(live) && Array.isArray(applied)
    ? mergeLists(field, live, applied)
    : applied;
}

/**
 * In the order of the configuration; each other entry stays before those that it preceded.
 * https://github.com/kubernetes-sigs/structured-merge-diff/blob/master/typed/merge.go
 */
function mergeLists(field: Field & { shape: 'list' }, live: Json[], applied: Json[]): Json[] {
  const keyOf = (item: Json) => entryKey(field, item);
  const found = new Map(live.map((item) => [keyOf(item), item]));
  const keys = applied.map(keyOf);
  const rest = [...found];
  const takeOthersBefore = (next: string | undefined) => {
    const end = rest.findIndex(([key]) => key === next);
    return rest.splice(0, end < 0 ? rest.length : end).filter(([key]) => !keys.includes(key));
  };
  const merged = applied.flatMap((item, index) => {
    const others = takeOthersBefore(keys.slice(index).find((key) => found.has(key)));
    const key = keyOf(item);
    if (rest[0]?.[0] === key) rest.shift();
    return [...others.map(([, other]) => other), merge(itemField(field), '', found.get(key), item)];
  });
  return [...merged, ...takeOthersBefore(undefined).map(([, other]) => other)];
}

/** Removes what was applied last and has no owner now. */
function removeAbandoned(
  field: Field | undefined,
  value: Json | undefined,
  last: FieldSet,
  owned: FieldSet,
): void {
  for (const [key, below] of last.children) {
    const now = owned.children.get(key) ?? new FieldSet();
    const isAbandoned = isOwned(key, below) && !isOwned(key, now);
    if (isJsonObject(value)) {
      const name = key.slice(2);
      if (isAbandoned) delete value[name];
      else removeAbandoned(fieldIn(field, name), value[name], below, now);
    } else if (Array.isArray(value) && field?.shape === 'list') {
      const index = value.findIndex((item) => entryKey(field, item) === key);
      if (isAbandoned && index >= 0) value.splice(index, 1);
      else removeAbandoned(itemField(field), value[index], below, now);
    }
  }
}

/** A struct belongs to the owners of its fields, an entry of a list does not. */
function isOwned(key: string, set: FieldSet): boolean {
  return set.isMember || (key.startsWith('f:') && !set.isEmpty);
}
