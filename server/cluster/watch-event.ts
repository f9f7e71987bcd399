import { AppError } from '@/lib/errors';
import { isJsonObject, type Json } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { parseAnswer } from '@/server/cluster/answer-json';
import { isKubeObject } from '@/server/cluster/object-list';

/** https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes */
export type WatchEvent =
  | { readonly type: 'put'; readonly object: KubeObject }
  | { readonly type: 'remove'; readonly object: KubeObject }
  | { readonly type: 'bookmark'; readonly resourceVersion: string }
  | { readonly type: 'error'; readonly status: Json }
  /** Of an unknown type, or without the members that every object has. */
  | { readonly type: 'unusable' };

/** One line of a watch. Throws AppError `cluster_error` when it is not JSON. */
export function parseWatchEvent(line: string): WatchEvent {
  const event = parseLine(line);
  if (!isJsonObject(event)) return { type: 'unusable' };
  const { type, object } = event;
  if (type === 'ERROR') return { type: 'error', status: object ?? null };
  if (type === 'BOOKMARK') {
    const metadata = isJsonObject(object) ? object.metadata : undefined;
    const resourceVersion = isJsonObject(metadata) ? metadata.resourceVersion : undefined;
    return typeof resourceVersion === 'string' ? { type: 'bookmark', resourceVersion } : { type: 'unusable' };
  }
  if (!isKubeObject(object)) return { type: 'unusable' };
  if (type === 'ADDED' || type === 'MODIFIED') return { type: 'put', object };
  if (type === 'DELETED') return { type: 'remove', object };
  return { type: 'unusable' };
}

function parseLine(line: string): Json {
  try {
    return parseAnswer(line);
  } catch (error) {
    throw new AppError('cluster_error', 'A line of a watch is not JSON; a proxy may alter it.', {}, error);
  }
}
