import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, constants } from 'node:zlib';
import { isJsonObject, type JsonObject, parseJson } from '@/lib/kube/json';
import { textAt } from '@/lib/kube/read';
import type { KubeObject } from '@/lib/kube/object';

/** A watch event, or an action or note in between. `t` is in milliseconds since the start. */
export type RecordedLine =
  { t: number; type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: KubeObject } | { t: number; act: string };

export interface Recording {
  /** Milliseconds since the epoch. */
  startMs: number;
  namespace: string;
  lines: RecordedLine[];
}

const FOLDER = join(import.meta.dirname, 'recordings');
const SUFFIX = '.jsonl.br';
const params = { [constants.BROTLI_DECODER_PARAM_LARGE_WINDOW]: 1 };

/** The folder and file of each recording, as `argo/19-blue-green`. */
export function recordingNames(): string[] {
  return readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => name.slice(0, -SUFFIX.length))
    .sort();
}

/** Reads the output of `trim.mjs`, in which only the changes of a known object are stored. */
export function readRecording(name: string): Recording {
  const text = brotliDecompressSync(readFileSync(join(FOLDER, `${name}${SUFFIX}`)), { params }).toString();
  const objects = new Map<string, JsonObject>();
  const lines = text
    .trim()
    .split('\n')
    .map((line) => withObject(parseJson(line) as JsonObject, objects));
  const [header] = lines;
  return {
    startMs: Date.parse(textAt(header, 'at') ?? ''),
    namespace: textAt(header, 'namespace') ?? '',
    lines: lines as unknown as RecordedLine[],
  };
}

function withObject(line: JsonObject, objects: Map<string, JsonObject>): JsonObject {
  const known = objects.get(textAt(line, 'of') ?? '');
  const object = known === undefined ? line['object'] : applyChange(known, line['change'] as JsonObject);
  if (!isJsonObject(object)) return line;
  objects.set(textAt(object, 'metadata', 'uid') ?? '', object);
  return { ...line, object };
}

function applyChange(before: JsonObject, { '-': removedKeys, ...change }: JsonObject): JsonObject {
  const after = { ...before };
  for (const key of (removedKeys ?? []) as string[]) Reflect.deleteProperty(after, key);
  for (const [key, value] of Object.entries(change)) {
    const old = before[key];
    after[key] = isJsonObject(old) && isJsonObject(value) ? applyChange(old, value) : value;
  }
  return after;
}
