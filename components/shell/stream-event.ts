import { type output, safeParse } from 'zod/v4/core';
import { type StreamKey, streamChangeSchema, streamStateSchema } from '@/lib/api/cluster';

/** What a page hears about the cluster and about its own link to Shiplog. */
export type StreamEvent =
  | { type: 'change'; keys: readonly StreamKey[] }
  /** Something may have been missed: fetch again what is shown. */
  | { type: 'resync' }
  | { type: 'state'; state: output<typeof streamStateSchema> }
  | { type: 'link'; link: 'connecting' | 'live' | 'lost'; sinceMs: number };

/** Reads one server-sent event; what can't be read is a `resync`, which is always true. */
export function readStreamEvent(type: 'change' | 'resync' | 'state', data: string): StreamEvent {
  if (type === 'resync') return { type };
  const json = parse(data);
  if (type === 'change') {
    const change = safeParse(streamChangeSchema, json);
    return change.success ? { type, keys: change.data.keys } : { type: 'resync' };
  }
  const state = safeParse(streamStateSchema, json);
  return state.success ? { type, state: state.data } : { type: 'resync' };
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
