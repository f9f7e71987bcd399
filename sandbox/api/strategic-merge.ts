import { type Field, type Struct } from '@/lib/kube/fields';
import { deepEqual, isJsonObject, type Json, type JsonObject, memberOf, setMember } from '@/lib/kube/json';
import { ApiStatus, badRequest } from '@/sandbox/api/objects/api-status';
import { copyJson } from '@/sandbox/api/copy';
import { showJson } from '@/sandbox/api/objects/stored-object';

const ORDER = '$setElementOrder/';
const DELETE_FROM = '$deleteFromPrimitiveList/';
const DIRECTIVE = '$patch';
const RETAIN = '$retainKeys';

/** How a patch changes a list: by a key of its entries, as a set of scalars, or by replacing it. */
type ListRule = { readonly by: string; readonly of: Struct | null } | 'set' | 'whole';

/**
 * The document after a strategic merge patch; the fields decide which lists are merged and by what key. The
 * document is not changed. Throws ApiStatus 400 on a patch that contradicts itself.
 * https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md
 */
export function applyStrategicMerge(struct: Struct, document: JsonObject, patch: JsonObject): JsonObject {
  return mergeMap(struct, copyJson(document), copyJson(patch));
}

/** Changes both of its arguments, which the caller owns. */
function mergeMap(struct: Struct | undefined, original: JsonObject, patch: JsonObject): JsonObject {
  const directive = patch[DIRECTIVE];
  if (directive !== undefined) return directed(directive, patch);
  retainKeys(original, patch);
  for (const key of Object.keys(patch).filter((name) => name.startsWith(ORDER)))
    mergeOrdered(struct, original, patch, key.slice(ORDER.length));
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    if (key.startsWith(DELETE_FROM)) deleteScalars(original, key.slice(DELETE_FROM.length), value);
    else if (value === null) delete original[key];
    else setMember(original, key, mergeValue(struct?.fields.get(key), key, memberOf(original, key), value));
  }
  return original;
}

function directed(directive: Json, { [DIRECTIVE]: _directive, ...rest }: JsonObject): JsonObject {
  if (directive === 'replace') return rest;
  if (directive === 'delete') return {};
  throw unknownType(directive, { ...rest, [DIRECTIVE]: directive });
}

function mergeValue(field: Field | undefined, key: string, original: Json | undefined, patch: Json): Json {
  if (isJsonObject(patch)) {
    if (!isJsonObject(original)) return withoutDirectives(patch);
    return mergeMap(field?.shape === 'struct' ? field.of : undefined, original, patch);
  }
  if (!Array.isArray(patch)) return patch;
  if (!Array.isArray(original)) return withoutDirectives(patch);

  return mergeList(ruleOf(field, key), original, patch);
}

/** Lists that are keyed for ownership, but replaced by a patch. */
const REPLACED = new Set(['claims']);
/** Lists of scalars that a patch adds to. */
const SETS = new Set(['finalizers']);
/** Keyed for a patch only. */
const PATCH_KEYS: Readonly<Record<string, string>> = { hostIPs: 'ip' };

function ruleOf(field: Field | undefined, key: string): ListRule {
  if (field?.shape !== 'list') return 'whole';
  if (SETS.has(key)) return 'set';
  const by = PATCH_KEYS[key] ?? (field.list.kind === 'map' ? field.list.keys[0] : undefined);
  if (by === undefined || REPLACED.has(key)) return 'whole';

  return { by, of: field.of };
}

function mergeList(rule: ListRule, original: Json[], patch: Json[]): Json[] {
  if (rule === 'whole') return patch;
  if (rule === 'set') {
    const both = [...original, ...patch.filter((item) => !original.includes(item))];
    return inOrder(both, patch, original, sameScalar);
  }
  const { rest, additions } = applyDirectives(rule.by, original, patch);
  const merged = mergeEntries(rule, rest, additions);

  return inOrder(merged, additions, rest, sameKey(rule.by));
}

function sameScalar(a: Json, b: Json): boolean {
  return a === b;
}

function sameKey(by: string): (a: Json, b: Json) => boolean {
  return (a, b) => isJsonObject(a) && isJsonObject(b) && deepEqual(a[by], b[by]);
}

/** Directives, separated from the entries that belong in the list. */
function applyDirectives(by: string, original: Json[], patch: Json[]): { rest: Json[]; additions: Json[] } {
  let rest = original;
  const additions: Json[] = [];
  let isReplaced = false;
  for (const entry of patch) {
    const directive = isJsonObject(entry) ? entry[DIRECTIVE] : undefined;
    if (directive === undefined) additions.push(entry);
    else if (directive === 'replace') isReplaced = true;
    else if (directive === 'delete' && isJsonObject(entry) && entry[by] !== undefined)
      rest = rest.filter((other) => !sameKey(by)(other, entry));
    else if (directive === 'delete') throw withoutKey(entry, by);
    else throw unknownType(directive, entry);
  }
  return isReplaced ? { rest: additions, additions: [] } : { rest, additions };
}

function unknownType(directive: Json, entry: Json): ApiStatus {
  return new ApiStatus(500, '', `unknown patch type: ${goText(directive)} in map: ${goText(entry)}`);
}

function withoutKey(entry: Json, by: string): ApiStatus {
  return new ApiStatus(500, '', `map: ${goText(entry)} does not contain declared merge key: ${by}`);
}

function mergeEntries(
  { by, of }: { by: string; of: Struct | null },
  original: Json[],
  patch: Json[],
): Json[] {
  const merged = [...original];
  for (const entry of patch) {
    if (!isJsonObject(entry) || entry[by] === undefined) throw withoutKey(entry, by);
    const index = merged.findIndex((other) => sameKey(by)(other, entry));
    const found = merged[index];
    if (isJsonObject(found)) merged[index] = mergeMap(of ?? undefined, found, entry);
    else merged.push(withoutDirectives(entry));
  }
  return merged;
}

/** A list with its order given: entries of the patch in that order, the others where they were. */
function mergeOrdered(
  struct: Struct | undefined,
  original: JsonObject,
  patch: JsonObject,
  key: string,
): void {
  const order = patch[ORDER + key];
  const [before, change] = [memberOf(original, key), memberOf(patch, key)];
  delete patch[ORDER + key];
  if (!Array.isArray(order)) throw badRequest(`${ORDER}${key} must be a list`);
  const rule = ruleOf(struct?.fields.get(key), key);
  const same = typeof rule === 'object' ? sameKey(rule.by) : sameScalar;
  if (change === null || (before === undefined && change === undefined)) return;
  delete patch[key];
  const present = Array.isArray(before) ? before : [];
  if (!Array.isArray(change)) original[key] = inOrder(present, order, present, same);
  else if (before === undefined)
    original[key] = inOrder(withoutDirectives(change) as Json[], order, [], same);
  else
    original[key] = inOrder(
      mergeList(rule, present, change),
      order,
      orderBefore(rule, present, change),
      same,
    );
}

/**
 * The order that the entries are assumed to have had. Upstream deletes and appends in place, so after a
 * deletion new entries count as old ones, as far as there is room; the result of apply depends on it.
 */
function orderBefore(rule: ListRule, present: Json[], change: Json[]): Json[] {
  if (typeof rule !== 'object') return present;
  const { rest, additions } = applyDirectives(rule.by, present, change);
  if (rest.length === present.length || additions.length === 0) return present;
  const fresh = additions.filter((entry) => !rest.some((other) => sameKey(rule.by)(other, entry)));

  return [...rest, ...fresh].slice(0, present.length);
}

/**
 * Entries named in `order` in that order; the others keep their order, before the first that followed them.
 */
function inOrder(list: Json[], order: Json[], before: Json[], same: (a: Json, b: Json) => boolean): Json[] {
  const placeIn = (places: Json[], item: Json) => places.findIndex((other) => same(other, item));
  const byPlace = (places: Json[]) => (a: Json, b: Json) => placeIn(places, a) - placeIn(places, b);
  const named = list.filter((item) => placeIn(order, item) >= 0).sort(byPlace(order));
  const others = list.filter((item) => placeIn(order, item) < 0).sort(byPlace(before));
  const result: Json[] = [];
  while (named.length > 0 && others.length > 0) {
    const [left, right] = [placeIn(before, others[0] ?? null), placeIn(before, named[0] ?? null)];
    const isFirst = left >= 0 && right >= 0 && left < right;
    result.push(...(isFirst ? others : named).splice(0, 1));
  }
  return [...result, ...named, ...others];
}

function deleteScalars(original: JsonObject, key: string, values: Json): void {
  const list = memberOf(original, key);
  if (Array.isArray(list) && Array.isArray(values))
    original[key] = list.filter((item) => !values.includes(item));
}

function retainKeys(original: JsonObject, patch: JsonObject): void {
  const kept = patch[RETAIN];
  if (kept === undefined) return;
  delete patch[RETAIN];
  const isDirective = (key: string) => key.startsWith(ORDER) || key.startsWith(DELETE_FROM);
  if (!Array.isArray(kept)) throw badRequest('invalid patch format of retainKeys');
  for (const [key, value] of Object.entries(patch)) {
    if (value !== null && !isDirective(key) && !kept.includes(key))
      throw badRequest('invalid patch format of retainKeys');
  }
  for (const key of Object.keys(original)) if (!kept.includes(key)) delete original[key];
}

/** New values are added without directives, and without nulls, which delete what does not exist. */
function withoutDirectives(value: Json): Json {
  if (Array.isArray(value)) {
    return value
      .filter((item) => !isJsonObject(item) || item[DIRECTIVE] === undefined || item[DIRECTIVE] === 'merge')
      .map(withoutDirectives);
  }
  if (!isJsonObject(value)) return value;
  const result: JsonObject = {};
  if (value[DIRECTIVE] === 'delete') return result;
  for (const [key, member] of Object.entries(value)) {
    const isDirective =
      key === DIRECTIVE || key === RETAIN || key.startsWith(ORDER) || key.startsWith(DELETE_FROM);
    if (!isDirective && member !== undefined && member !== null)
      setMember(result, key, withoutDirectives(member));
  }
  return result;
}

/** JSON as Go prints it once it is read. https://pkg.go.dev/fmt */
export function goText(value: Json | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isJsonObject(value)) return showJson(value);
  const members = Object.keys(value).sort();

  return `map[${members.map((key) => `${key}:${goText(value[key])}`).join(' ')}]`;
}
