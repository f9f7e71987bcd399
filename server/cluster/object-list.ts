import { AppError } from '@/lib/errors';
import { isJsonObject, type Json } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { parseAnswer } from '@/server/cluster/answer-json';

const FIELDS_KEY = '"fieldsV1":{';
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Deep enough to tell who owns `spec.template` or one annotation. */
const LEVELS_MAX = 3;

/**
 * JSON text in which the objects of managedFields are empty below the third level. They are half of the text
 * of a list, and with a key of its own for every list item they take the parser longer than all the rest.
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
export function shortenFieldSets(text: string): string {
  let short = '';
  let copied = 0;
  // Inside a string the quotes would be escaped, so a match is a key.
  for (
    let keyStart = text.indexOf(FIELDS_KEY);
    keyStart !== -1;
    keyStart = text.indexOf(FIELDS_KEY, Math.max(copied, keyStart + 1))
  ) {
    let depth = 0;
    let hidden = 0;
    for (let at = keyStart + FIELDS_KEY.length - 1; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        at = endOfString(text, at);
      } else if (code === OPEN) {
        depth += 1;
        if (depth === LEVELS_MAX + 1) hidden = at + 1;
      } else if (code === CLOSE) {
        if (depth === LEVELS_MAX + 1 && at > hidden) {
          short += text.slice(copied, hidden);
          copied = at;
        }
        depth -= 1;
        if (depth === 0) break;
      }
    }
  }
  return copied === 0 ? text : short + text.slice(copied);
}

/** Index of the quote that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (at - first) % 2 === 1;
}

export interface ObjectList {
  readonly items: KubeObject[];
  readonly resourceVersion: string;
  /** Token of the next page; undefined on the last. */
  readonly next: string | undefined;
}

/**
 * A list answer. Items of a list have no apiVersion and kind of their own; the list's are filled in. Their
 * managedFields are cut as by {@link shortenFieldSets}. Throws AppError `cluster_error` when it is no list.
 */
export function parseObjectList(text: string): ObjectList {
  const answer = parse(text);
  if (!isJsonObject(answer) || !Array.isArray(answer.items ?? []) || !isJsonObject(answer.metadata)) {
    throw new AppError('cluster_error', 'The API server answered a list request with another object.');
  }
  const { apiVersion, kind, metadata } = answer;
  const items: KubeObject[] = [];
  for (const item of (answer.items ?? []) as Json[]) {
    if (isJsonObject(item)) {
      item.apiVersion ??= apiVersion;
      item.kind ??= typeof kind === 'string' ? kind.replace(/List$/, '') : undefined;
    }
    if (isKubeObject(item)) items.push(item);
  }
  return {
    items,
    resourceVersion: typeof metadata.resourceVersion === 'string' ? metadata.resourceVersion : '',
    next: typeof metadata.continue === 'string' && metadata.continue !== '' ? metadata.continue : undefined,
  };
}

/**
 * The token of the next page, read off the beginning of the text, so that the request for the next page can
 * run while this one is parsed. Undefined on the last page, and where metadata comes after the items, as with
 * custom resources.
 */
export function peekContinue(text: string): string | undefined {
  return /^\{"kind":"\w+","apiVersion":"[^"]+","metadata":\{[^{}]*?"continue":"([^"\\]+)"/.exec(
    text.slice(0, 8192),
  )?.[1];
}

function parse(text: string): Json {
  try {
    return parseAnswer(shortenFieldSets(text));
  } catch (error) {
    throw new AppError(
      'cluster_error',
      'The API server answered a list request with something that is not JSON.',
      {},
      error,
    );
  }
}

/** Whether the value has what every stored object has: name, uid and resource version. */
export function isKubeObject(value: unknown): value is KubeObject {
  if (typeof value !== 'object' || value === null || !('metadata' in value)) return false;
  const { metadata } = value;
  return (
    typeof metadata === 'object' &&
    metadata !== null &&
    'name' in metadata &&
    typeof metadata.name === 'string' &&
    'uid' in metadata &&
    typeof metadata.uid === 'string' &&
    'resourceVersion' in metadata &&
    typeof metadata.resourceVersion === 'string'
  );
}
