import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type Json, type JsonObject, parseJson } from '@/lib/kube/json';
import { textAt } from '@/lib/kube/read';
import { type KubeObject } from '@/lib/kube/object';

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

/**
 * Reads the output of `trim.mjs`: repeated values are named once, and of a known object only the changes are stored.
 */
export function readRecording(name: string): Recording {
  const parts = new Map<number, Json>();
  const objects = new Map<string, JsonObject>();
  const lines: JsonObject[] = [];
  for (const text of readFileSync(join(FOLDER, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n')) {
    const line = parseJson(text) as JsonObject;
    if (typeof line['part'] === 'number') parts.set(line['part'], expandParts(line['is'] ?? null, parts));
    else lines.push(withObject(expandParts(line, parts) as JsonObject, objects));
  }
  const [header] = lines;
  return {
    startMs: Date.parse(textAt(header, 'at') ?? ''),
    namespace: textAt(header, 'namespace') ?? '',
    lines: lines as unknown as RecordedLine[],
  };
}

function expandParts(value: Json, parts: ReadonlyMap<number, Json>): Json {
  if (Array.isArray(value)) return value.map((entry) => expandParts(entry, parts));
  if (!isJsonObject(value)) return value;
  const part = value['@'];
  if (typeof part === 'number') return parts.get(part) ?? null;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, expandParts(member ?? null, parts)]),
  );
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
