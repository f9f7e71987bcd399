import type { StreamChange, StreamKey, StreamState } from '@/lib/api/cluster';

/** Events of the cluster and of the page's own connection to Shiplog. */
export type StreamEvent =
  | { type: 'change'; keys: readonly StreamKey[] }
  /** Events may have been missed: refetch what is shown. */
  | { type: 'resync' }
  /** The stream reports changes from now on; changes since the page was read were missed. A state follows. */
  | { type: 'opened' }
  | { type: 'state'; state: StreamState }
  | { type: 'link'; link: 'connecting' | 'live' | 'lost'; sinceMs: number };

/** Parses one server-sent event; an invalid one becomes a `resync`, which is always safe. */
export function readStreamEvent(type: 'change' | 'resync' | 'state', data: string): StreamEvent {
  if (type === 'resync') return { type };
  const json = parse(data);
  if (type === 'change' && isChange(json)) return { type, keys: json.keys };
  if (type === 'state' && isState(json)) return { type, state: json };
  return { type: 'resync' };
}

function isChange(json: unknown): json is StreamChange {
  return isRecord(json) && Array.isArray(json.keys) && json.keys.every(isKey);
}

function isKey(json: unknown): json is StreamKey {
  const parts = isRecord(json) ? [json.cluster, json.resource, json.namespace, json.name] : [undefined];
  return parts.every((part) => typeof part === 'string');
}

function isState(json: unknown): json is StreamState {
  return isRecord(json) && isRecord(json.clusters);
}

function isRecord(json: unknown): json is Record<string, unknown> {
  return typeof json === 'object' && json !== null;
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
