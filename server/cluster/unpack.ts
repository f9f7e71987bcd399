import 'server-only';
import { hash } from 'node:crypto';
import { constants, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import {
  DEPTH_MAX,
  isJsonObject,
  isNestedDeeper,
  type Json,
  type JsonObject,
  parseJson,
} from '@/lib/kube/json';
import { isPackedBody, TOO_DEEP_TYPE } from '@/lib/kube/packed-body';
import { applicationBodyOf } from '@/lib/workloads/application/body';
import { textAt } from '@/lib/kube/read';
import type { Template } from '@/lib/history/workload';

/** Either the template, or why it cannot be read: one sentence for people. */
type Unpacked = { template: Template; problem: null } | { template: null; problem: string };

/** The API server accepts no object above 1.5 MB; data that inflates to more than this is malicious. */
const INFLATED_BYTES_MAX = 32 * 1024 * 1024;

/** The window that a frame may require: 2 to this power. */
const WINDOW_LOG_MAX = 25;

const tooDeep = `it is nested deeper than ${DEPTH_MAX} levels`;

type Inflated = string | { problem: string };

/**
 * Inflating blocks all other requests only once: the cache holds one of the largest, or hundreds of the usual
 * size.
 */
const inflateCache = new LRUCache<string, Inflated>({
  maxSize: INFLATED_BYTES_MAX + 1,
  sizeCalculation: (inflated) => (typeof inflated === 'string' ? inflated.length + 1 : 100),
});

const CHUNK_BYTES_MIN = 16 * 1024;
const CHUNK_BYTES_MAX = 1024 * 1024;

/**
 * A template that a source object holds compressed, in the form used everywhere else; any other one is
 * returned unchanged.
 */
export function unpack(body: Template): Unpacked {
  if (!isPackedBody(body)) return { template: body, problem: null };
  const spec = inflateSpec(body.packed.type, body.packed.data);
  if (typeof spec === 'string') return undecodable(spec);
  const template = applicationBodyOf(spec);
  return template === undefined ? undecodable('it contains no Application') : { template, problem: null };
}

/**
 * A spec that is compressed as ApplicationRevisions are; returned unchanged where it is not, or cannot be
 * read.
 */
export function unpackSpec(spec: JsonObject | undefined): JsonObject | undefined {
  const type = textAt(spec, 'compression', 'type') ?? '';
  if (spec === undefined || type === '') return spec;
  const inflated = inflateSpec(type, textAt(spec, 'compression', 'data') ?? '');
  return typeof inflated === 'string' ? { compression: { type, problem: sentence(inflated) } } : inflated;
}

function undecodable(reason: string): Unpacked {
  return { template: null, problem: sentence(reason) };
}

function sentence(reason: string): string {
  return `It cannot be decoded: ${reason}.`;
}

/** The spec, or why not. https://github.com/kubevela/pkg/tree/main/util/compression */
function inflateSpec(type: string, data: string): JsonObject | string {
  if (type === '') return 'it contains no Application';
  if (type === TOO_DEEP_TYPE) return tooDeep;
  if (type !== 'gzip' && type !== 'zstd')
    return `its compression is “${type.slice(0, 40)}”, which Shiplog does not know`;
  if (data === '') return 'it is marked as compressed but has no data';
  const text = inflateOnce(type, data);
  if (typeof text !== 'string') return text.problem;
  const value = parse(text);
  return isJsonObject(value) ? value : `its ${type} data is not a JSON object`;
}

function inflateOnce(type: 'gzip' | 'zstd', data: string): Inflated {
  const key = `${type} ${hash('sha256', data, 'base64url')}`;
  const known = inflateCache.get(key);
  if (known !== undefined) return known;
  const text = inflate(type, Buffer.from(data, 'base64'));
  const inflated = typeof text === 'string' && isNestedDeeper(text) ? { problem: tooDeep } : text;
  inflateCache.set(key, inflated);
  return inflated;
}

function inflate(type: 'gzip' | 'zstd', bytes: Buffer): Inflated {
  // In small pieces of the usual size, a large one takes twice as long.
  const chunkSize = Math.min(Math.max(2 * bytes.length, CHUNK_BYTES_MIN), CHUNK_BYTES_MAX);
  const bounds = { maxOutputLength: INFLATED_BYTES_MAX, chunkSize };
  try {
    const inflated =
      type === 'gzip'
        ? gunzipSync(bytes, bounds)
        : zstdDecompressSync(bytes, {
            ...bounds,
            params: { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG_MAX },
          });
    return inflated.toString('utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    return code === 'ERR_BUFFER_TOO_LARGE'
      ? {
          problem: `its ${type} data is larger than ${INFLATED_BYTES_MAX / 1024 / 1024} MB after decompression`,
        }
      : { problem: `its ${type} data is damaged` };
  }
}

function parse(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
