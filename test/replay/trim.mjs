/*
 * node test/replay/trim.mjs RECORDING.ndjson.gz > RECORDING.jsonl.br
 *
 * Makes a recorded watch small enough to store, and puts its lines in the order in which the API server wrote: by
 * resourceVersion, with times that never go back. A reader gets the same except for what `without` names. README.md
 * describes the lines; `recording.ts` reads them.
 */
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { brotliCompressSync, constants, gunzipSync } from 'node:zlib';

/** Shiplog watches none of these. */
const UNFOLLOWED = new Set([
  'ConfigMap',
  'CustomResourceDefinition',
  'Ingress',
  'Namespace',
  'Node',
  'Secret',
  'Service',
]);

const lines = gunzipSync(readFileSync(process.argv[2])).toString().trim().split('\n').map(JSON.parse);
const [header, ...rest] = lines.flatMap(without);
const small = changesOf([header, ...inOrder(rest)]);
const text = small.map((line) => `${JSON.stringify(line)}\n`).join('');
/** The large window finds what repeats over the whole recording. */
const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_LARGE_WINDOW]: 1 };
process.stdout.write(brotliCompressSync(text, { params }));

/** The managers of a status are irrelevant; the expectations of the tests have `truth`. */
function without(line) {
  for (const key of ['truth', 'final', 'resources']) delete line[key];
  if (line.object === undefined) return [line];
  if (UNFOLLOWED.has(line.object.kind)) return [];
  for (const entry of line.object.metadata.managedFields ?? []) {
    if (entry.subresource !== undefined) delete entry.fieldsV1;
    delete entry.apiVersion;
    delete entry.fieldsType;
  }
  return [line];
}

function inOrder(all) {
  const events = all.filter(({ object }) => object !== undefined);
  events.sort((a, b) => versionOf(a) - versionOf(b));
  let latest = 0;
  for (const event of events) event.t = latest = Math.max(latest, event.t);
  const acts = all.filter(({ object }) => object === undefined);
  return [...events, ...acts].sort((a, b) => a.t - b.t);
}

function versionOf({ object }) {
  return Number(object.metadata.resourceVersion);
}

function changesOf(all) {
  const last = new Map();
  return all.map((line) => {
    if (line.object === undefined) return line;
    const { t, type, object } = line;
    const before = last.get(object.metadata.uid);
    last.set(object.metadata.uid, object);
    if (before === undefined) return line;
    return { t, type, of: object.metadata.uid, change: changeOf(before, object) };
  });
}

/** Members that differ, and under `-` the names of removed ones. */
function changeOf(before, after) {
  if (!isObject(before) || !isObject(after)) return after;
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  const different = Object.entries(after).filter(([key, value]) => !isDeepStrictEqual(before[key], value));
  const change = Object.fromEntries(different.map(([key, value]) => [key, changeOf(before[key], value)]));
  return gone.length > 0 ? { ...change, '-': gone } : change;
}

function isObject(value) {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
