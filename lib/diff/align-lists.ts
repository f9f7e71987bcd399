import { type Alignment, alignByContent, alignByKey } from '@/lib/diff/align';
import { entryKey } from '@/lib/diff/entry';
import type { Field } from '@/lib/kube/fields';
import { canonicalJson, isJsonObject, type Json, type JsonObject, memberOf } from '@/lib/kube/json';

/** Pairs the entries of two lists of one field. */
export function alignLists(
  field: Extract<Field, { shape: 'list' }>,
  a: readonly Json[],
  b: readonly Json[],
): Alignment {
  const { of, list } = field;
  if (of !== null && list.keys.length === 0)
    return alignByContent(a.map(canonicalJson), b.map(canonicalJson));
  const key = (entry: Json): string => (of === null ? canonicalJson(entry) : entryKey(list.keys, entry));
  return alignByKey(a.map(key), b.map(key));
}

/** As {@link alignLists} for a list that the field table does not have. */
export function alignUnknown(a: readonly JsonObject[], b: readonly JsonObject[]): Alignment {
  const keys = LIKELY_KEYS.find((candidate) => isUniqueIn(a, candidate) && isUniqueIn(b, candidate));
  if (keys === undefined) return alignByContent(a.map(canonicalJson), b.map(canonicalJson));
  return alignByKey(
    a.map((entry) => entryKey(keys, entry)),
    b.map((entry) => entryKey(keys, entry)),
  );
}

/**
 * The members that identify an entry in the lists of the API, most specific first; of several members only
 * the first must be present.
 */
const LIKELY_KEYS: readonly (readonly [string, ...string[]])[] = [
  ['name'],
  ['key'],
  ['type'],
  ['mountPath'],
  ['containerPort', 'protocol'],
];

function isUniqueIn(list: readonly JsonObject[], keys: readonly [string, ...string[]]): boolean {
  const hasKey = list.every((entry) => ['string', 'number'].includes(typeof memberOf(entry, keys[0])));
  return hasKey && new Set(list.map((entry) => entryKey(keys, entry))).size === list.length;
}

export function isObjectList(value: Json | undefined): value is JsonObject[] {
  return Array.isArray(value) && value.every(isJsonObject);
}
