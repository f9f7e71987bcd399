import type { Field } from '@/lib/kube/fields';
import { deepEqual, isJsonObject, type Json, type JsonObject, memberOf, setMember } from '@/lib/kube/json';
import { entryKey, isGranular, itemField, memberField } from '@/sandbox/api/field-set';
import { type ApiStatus, badRequest } from '@/sandbox/api/objects/api-status';
import { copyJson } from '@/sandbox/api/objects/stored-object';

const ORDER = '$setElementOrder/';
const DELETE_FROM = '$deleteFromPrimitiveList/';
const DIRECTIVE = '$patch';
const RETAIN = '$retainKeys';

/**
 * The document after a strategic merge patch; the fields decide which lists are merged and by what key. The
 * document is not changed. Throws ApiStatus 400 on a patch that contradicts itself.
 * https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md
 */
export function applyStrategicMerge(
  root: Field | undefined,
  document: JsonObject,
  patch: JsonObject,
): JsonObject {
  return new Merge(false).map(root, copyJson(document), copyJson(patch));
}

/**
 * The document after a configuration is applied: entries of lists have the keys that decide about ownership, and
 * values that are owned as one replace those before. It has no directives.
 */
export function mergeConfiguration(
  root: Field | undefined,
  document: JsonObject,
  configuration: JsonObject,
): JsonObject {
  return new Merge(true).map(root, copyJson(document), copyJson(configuration));
}

/** Lists of scalars that a patch adds to. */
const SETS = new Set(['finalizers']);

/** How a list is changed; undefined: it is replaced. */
interface ListRule {
  readonly of: Field | undefined;
  /** The member that identifies an entry; empty where the value does. */
  readonly by: string;
  readonly same: (a: Json, b: Json) => boolean;
}

const SCALARS: ListRule = { of: undefined, by: '', same: (a, b) => a === b };

/** Its methods change their arguments, which the caller owns. */
class Merge {
  readonly #isApply: boolean;

  constructor(isApply: boolean) {
    this.#isApply = isApply;
  }

  map(field: Field | undefined, original: JsonObject, patch: JsonObject): JsonObject {
    const { [DIRECTIVE]: directive, ...rest } = patch;
    if (directive === 'replace') return rest;
    if (directive === 'delete') return {};
    if (directive !== undefined) throw unknownDirective(directive);
    retainKeys(original, patch);
    for (const key of Object.keys(patch).filter((name) => name.startsWith(ORDER)))
      this.#ordered(field, original, patch, key.slice(ORDER.length));
    for (const [key, value] of Object.entries(patch)) {
      if (value === undefined) continue;
      if (key.startsWith(DELETE_FROM)) deleteScalars(original, key.slice(DELETE_FROM.length), value);
      else if (value === null) delete original[key];
      else
        setMember(original, key, this.#value(memberField(field, key), key, memberOf(original, key), value));
    }
    return original;
  }

  #value(field: Field | undefined, key: string, original: Json | undefined, patch: Json): Json {
    if (this.#isApply && !isGranular(field, patch)) return patch;
    if (isJsonObject(patch) && isJsonObject(original)) return this.map(field, original, patch);
    const rule = this.#ruleOf(field, key);
    return rule !== undefined && Array.isArray(patch) && Array.isArray(original)
      ? this.#list(rule, original, patch)
      : withoutDirectives(patch);
  }

  #ruleOf(field: Field | undefined, key: string): ListRule | undefined {
    if (field?.shape !== 'list') return undefined;
    const of = itemField(field);
    if (this.#isApply) return { of, by: '', same: (a, b) => entryKey(field, a) === entryKey(field, b) };
    if (SETS.has(key)) return SCALARS;
    const by = field.list.kind === 'map' ? field.list.keys[0] : undefined;
    if (by === undefined) return undefined;
    return { of, by, same: (a, b) => deepEqual(memberOf(a, by), memberOf(b, by)) };
  }

  #list({ of, by, same }: ListRule, original: Json[], patch: Json[]): Json[] {
    const additions = patch.filter((entry) => directiveOf(entry) === undefined);
    let merged = patch.some((entry) => directiveOf(entry) === 'replace') ? [] : original;
    for (const entry of patch) {
      const directive = directiveOf(entry);
      if (by !== '' && directive !== 'replace' && memberOf(entry, by) === undefined)
        throw badRequest(`an entry of a list does not contain its merge key: ${by}`);
      if (directive === 'delete') merged = merged.filter((other) => !same(other, entry));
      else if (directive !== undefined && directive !== 'replace') throw unknownDirective(directive);
    }
    const before = [...merged];
    for (const entry of additions) {
      const index = merged.findIndex((other) => same(other, entry));
      const found = merged[index];
      if (index < 0) merged.push(withoutDirectives(entry));
      else if (isJsonObject(found) && isJsonObject(entry)) merged[index] = this.map(of, found, entry);
    }
    return this.#inOrder(merged, additions, before, same);
  }

  /** A list with its order given: entries of the patch in that order, the others where they were. */
  #ordered(field: Field | undefined, original: JsonObject, patch: JsonObject, key: string): void {
    const order = patch[ORDER + key];
    const [before = [], change = []] = [memberOf(original, key), memberOf(patch, key)];
    delete patch[ORDER + key];
    if (!Array.isArray(order)) throw badRequest(`${ORDER}${key} must be a list`);
    if (!Array.isArray(change) || !Array.isArray(before)) return;
    delete patch[key];
    const rule = this.#ruleOf(memberField(field, key), key) ?? SCALARS;
    const merged = this.#list(rule, [...before], change);
    if (merged.length > 0) original[key] = this.#inOrder(merged, order, before, rule.same);
  }

  /**
   * Entries named in `order` in that order; each other one stays before the named one that followed it. A patch puts
   * new entries first, a configuration before the next one that it has in common with the list.
   */
  #inOrder(list: Json[], order: Json[], before: Json[], same: ListRule['same']): Json[] {
    const placeIn = (places: Json[], item: Json) => places.findIndex((other) => same(other, item));
    const byPlace = (places: Json[]) => (a: Json, b: Json) => placeIn(places, a) - placeIn(places, b);
    const named = list.filter((item) => placeIn(order, item) >= 0).sort(byPlace(order));
    const others = list.filter((item) => placeIn(order, item) < 0).sort(byPlace(before));
    const result: Json[] = [];
    let passed = -1;
    for (const [index, item] of named.entries()) {
      const places = named.slice(index).map((known) => placeIn(before, known));
      const next = this.#isApply ? (places.find((place) => place >= 0) ?? -1) : (places[0] ?? -1);
      const end = this.#isApply && next < passed ? Infinity : next;
      passed = Math.max(passed, end);
      while (others[0] !== undefined && placeIn(before, others[0]) < end) result.push(...others.splice(0, 1));
      result.push(item);
    }
    return [...result, ...others];
  }
}

function directiveOf(entry: Json): Json | undefined {
  return memberOf(entry, DIRECTIVE);
}

function unknownDirective(directive: Json): ApiStatus {
  return badRequest(`unknown patch type: ${JSON.stringify(directive)}`);
}

function deleteScalars(original: JsonObject, key: string, values: Json): void {
  const list = memberOf(original, key);
  if (Array.isArray(list) && Array.isArray(values))
    original[key] = list.filter((item) => !values.includes(item));
}

function retainKeys(original: JsonObject, patch: JsonObject): void {
  const kept = patch[RETAIN];
  delete patch[RETAIN];
  if (!Array.isArray(kept)) return;
  for (const key of Object.keys(original)) if (!kept.includes(key)) delete original[key];
}

/** New values are added without directives, and without nulls, which delete what does not exist. */
function withoutDirectives(value: Json): Json {
  if (Array.isArray(value)) {
    return value
      .filter((item) => [undefined, 'merge'].includes(directiveOf(item) as string | undefined))
      .map(withoutDirectives);
  }
  if (!isJsonObject(value)) return value;
  const result: JsonObject = {};
  if (value[DIRECTIVE] === 'delete') return result;
  for (const [key, member] of Object.entries(value))
    if (!key.startsWith('$') && member !== undefined && member !== null)
      setMember(result, key, withoutDirectives(member));
  return result;
}
