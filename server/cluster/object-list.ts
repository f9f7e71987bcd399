import { AppError } from '@/lib/errors';
import { isJsonObject, type Json } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { parseAnswer } from '@/server/cluster/answer-json';
import { shortenFieldSets } from '@/server/cluster/field-sets';

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
