import { AppError } from '@/lib/errors';
import { isJsonObject, type Json } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
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

/** An object may have 1.5 MB in etcd and grow in JSON; a longer line is not a watch event. */
const LINE_BYTES_MAX = 32 * 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * Lines of a byte stream, without their end; an unfinished last line is dropped, since half an event is none.
 * Characters that span two chunks survive.
 */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
  lineBytesMax = LINE_BYTES_MAX,
): AsyncGenerator<string> {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const line = Buffer.concat([...pending, chunk.subarray(start, end)])
        .toString('utf8')
        .trim();
      pending = [];
      pendingBytes = 0;
      start = end + 1;
      if (line !== '') yield line;
    }
    if (start === chunk.length) continue;
    pending.push(chunk.subarray(start));
    pendingBytes += chunk.length - start;
    if (pendingBytes > lineBytesMax) {
      throw new AppError('too_large', `A watch sent a line of more than ${lineBytesMax} bytes.`);
    }
  }
}
