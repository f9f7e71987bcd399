/** Any JSON value. Numbers that a double cannot hold are {@link RawNumber}. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json | undefined;
}

/**
 * A number kept as the text it was written in, because the double does not print the same (2^53 + 1, `1.0`,
 * `-0`). Its type is a {@link JsonObject}, so code that walks objects checks {@link isRawNumber} first;
 * `JSON.stringify` prints it verbatim. https://github.com/tc39/proposal-json-parse-with-source
 */
type RawNumber = { readonly rawJSON: string };

declare global {
  interface JSON {
    rawJSON?: (text: string) => RawNumber;
    isRawJSON?: (value: unknown) => value is RawNumber;
    parse(text: string, reviver: (key: string, value: Json, context: { source?: string }) => Json): Json;
  }
}

/** A number that may print differently: 16 or more characters, an exponent, a fraction ending in 0 or tiny, -0. */
const DOUBTFUL_NUMBER =
  /(?:^|[:,[\s])-?(?:(?=[\d.]{16})\d+(?:\.\d+)?|\d+(?:\.\d+)?[eE][+-]?\d+|\d+\.\d*0|0\.0{6}\d+|(?<=-)0)(?=[\s,\]}]|$)/;

/**
 * Parses JSON text without changing any number: what a double cannot print back becomes a {@link RawNumber}.
 * Throws SyntaxError like `JSON.parse`. An engine without `JSON.rawJSON` parses as usual.
 */
export function parseJson(text: string): Json {
  if (JSON.rawJSON === undefined || !DOUBTFUL_NUMBER.test(text)) return JSON.parse(text) as Json;
  return JSON.parse(text, reviveExactNumber);
}

/** Deeper than any real object, and far from a stack overflow in code that walks it. */
export const DEPTH_MAX = 200;

/** Whether brackets outside of strings are nested deeper, from the text alone, before it is parsed. */
export function isNestedDeeper(text: string, depthMax = DEPTH_MAX): boolean {
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isQuoted) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) isQuoted = false;
    } else if (code === QUOTE) isQuoted = true;
    else if (code === 0x5b || code === 0x7b) depth += 1;
    else if (code === 0x5d || code === 0x7d) depth -= 1;
    if (depth > depthMax) return true;
  }
  return false;
}

/** The same of a value; descends no deeper than necessary. */
export function isDeeper(value: Json | undefined, depthMax = DEPTH_MAX): boolean {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return false;
  if (depthMax === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeper(item, depthMax - 1));
  for (const key in value) if (isDeeper(value[key], depthMax - 1)) return true;
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function reviveExactNumber(_key: string, value: Json, context: { source?: string }): Json {
  if (typeof value !== 'number' || context.source === undefined || String(value) === context.source)
    return value;
  return JSON.rawJSON?.(context.source) ?? value;
}

/** Whether the value is a number kept as text; an ordinary object with a member `rawJSON` is not. */
export function isRawNumber(value: unknown): value is RawNumber {
  // Few objects lack a prototype, so most can be decided without a call into the engine.
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== null) return false;
  return JSON.isRawJSON?.(value) === true;
}

/** A JSON object as opposed to a list, a scalar or a number kept as text. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

export function isEmptyObject(object: JsonObject): boolean {
  return Object.keys(object).length === 0;
}

/** An own member, never an inherited one; undefined if the value is no object or has none of that name. */
export function memberOf(value: Json | undefined, key: string): Json | undefined {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Sets a member; also one named `__proto__`, which plain assignment would treat as the prototype. */
export function setMember(object: JsonObject, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

const GO_ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/**
 * JSON text with the five characters escaped that Go's encoder escapes. The `test` of a JSON patch compares scalars
 * as bytes against what the API server has encoded, so `a && b` must be written as Go writes it.
 * https://pkg.go.dev/encoding/json#Marshal
 */
export function stringifyGo(value: Json): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => GO_ESCAPES[character] ?? character,
  );
}

/** Compact JSON text with the keys of every object in code-unit order: equal values give equal text. */
export function canonicalJson(value: Json): string {
  return boundedCanonicalJson(value) ?? canonicalText(value);
}

/** The same; undefined for a value that {@link isDeeper}. */
export function boundedCanonicalJson(value: Json): string | undefined {
  const sorted = sortKeys(value, DEPTH_MAX);
  if (sorted !== undefined) return JSON.stringify(sorted);
  return isDeeper(value) ? undefined : canonicalText(value);
}

/**
 * A copy in order, which the engine prints four times as fast as our code; undefined if an object can't have
 * that order, or the value is nested deeper.
 */
function sortKeys(value: Json, depthMax: number): Json | undefined {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value;
  if (depthMax === 0) return undefined;
  if (Array.isArray(value)) {
    const items: Json[] = [];
    for (const item of value) {
      const sorted = sortKeys(item, depthMax - 1);
      if (sorted === undefined) return undefined;
      items.push(sorted);
    }
    return items;
  }
  const copy: JsonObject = {};
  for (const key of sortShort(Object.keys(value))) {
    if (isOutOfOrder(key)) return undefined;
    const member = value[key];
    if (member === undefined) continue;
    const sorted = sortKeys(member, depthMax - 1);
    if (sorted === undefined) return undefined;
    copy[key] = sorted;
  }
  return copy;
}

/** Objects put integer-like keys first, whatever the order of assignment, and `__proto__` is no member at all. */
function isOutOfOrder(key: string): boolean {
  const first = key.charCodeAt(0);
  return (first >= 0x30 && first <= 0x39) || key === '__proto__';
}

/** By insertion, in place: for the handful of keys that most objects have, a third of the time of `sort`. */
function sortShort(keys: string[]): string[] {
  if (keys.length > 32) return keys.sort();
  for (let index = 1; index < keys.length; index += 1) {
    const key = keys[index] as string;
    let place = index;
    for (; place > 0 && (keys[place - 1] as string) > key; place -= 1)
      keys[place] = keys[place - 1] as string;
    keys[place] = key;
  }
  return keys;
}

function canonicalText(value: Json): string {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  const members: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${canonicalText(member)}`);
  }
  return `{${members.join(',')}}`;
}

/** Structural equality: key order is ignored, list order counts, an undefined member equals an absent one. */
export function deepEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => deepEqual(item, b[index]));
  }
  if (isRawNumber(a) || isRawNumber(b)) return isRawNumber(a) && isRawNumber(b) && a.rawJSON === b.rawJSON;
  let members = 0;
  for (const key in a) {
    if (a[key] === undefined) continue;
    members += 1;
    if (!Object.hasOwn(b, key) || !deepEqual(a[key], b[key])) return false;
  }
  for (const key in b) if (b[key] !== undefined) members -= 1;
  return members === 0;
}
