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
import { isPackedBody, NESTED } from '@/lib/kube/packed-body';
import { applicationBodyOf } from '@/lib/workloads/application/body';
import { textAt } from '@/lib/workloads/read';
import { type Template } from '@/lib/workloads/workload';

/** Either the template, or why nobody can read it: one sentence for people. */
export type Unpacked = { template: Template; problem: null } | { template: null; problem: string };

/** The API server takes no object above 1.5 MB; what inflates to more than this was made to hurt. */
export const INFLATED_BYTES_MAX = 32 * 1024 * 1024;

/** What a frame may ask us to keep at hand: 2 to this power. */
const WINDOW_LOG_MAX = 25;

const tooDeep = `it is nested deeper than ${DEPTH_MAX} levels`;

type Inflated = string | { problem: string };

/** Whatever the data is, it holds up all others once: one of the largest is kept, or hundreds of the usual size. */
const inflatedBefore = new LRUCache<string, Inflated>({
  maxSize: INFLATED_BYTES_MAX + 1,
  sizeCalculation: (inflated) => (typeof inflated === 'string' ? inflated.length + 1 : 100),
});

const CHUNK_BYTES_MIN = 16 * 1024;
const CHUNK_BYTES_MAX = 1024 * 1024;

/** A template that a source object holds compressed, as it is used everywhere else; any other one is returned as it is. */
export function unpack(body: Template): Unpacked {
  if (!isPackedBody(body)) return { template: body, problem: null };
  const spec = inflateSpec(body.packed.type, body.packed.data);
  if (typeof spec === 'string') return cannot(spec);
  const template = applicationBodyOf(spec);
  return template === undefined ? cannot('it records no Application') : { template, problem: null };
}

/** A spec that is compressed as ApplicationRevisions are, whole; the same one where it is not, or nobody can read it. */
export function unpackSpec(spec: JsonObject | undefined): JsonObject | undefined {
  const type = textAt(spec, 'compression', 'type') ?? '';
  if (spec === undefined || type === '') return spec;
  const inflated = inflateSpec(type, textAt(spec, 'compression', 'data') ?? '');
  return typeof inflated === 'string' ? { compression: { type, problem: sentence(inflated) } } : inflated;
}

function cannot(reason: string): Unpacked {
  return { template: null, problem: sentence(reason) };
}

function sentence(reason: string): string {
  return `It cannot be decoded: ${reason}.`;
}

/** The spec, or why not. https://github.com/kubevela/pkg/tree/main/util/compression */
function inflateSpec(type: string, data: string): JsonObject | string {
  if (type === '') return 'it records no Application';
  if (type === NESTED) return tooDeep;
  if (type !== 'gzip' && type !== 'zstd')
    return `its compression is “${type.slice(0, 40)}”, which Shiplog does not know`;
  if (data === '') return 'it says that it is compressed and has no data';
  const text = inflateOnce(type, data);
  if (typeof text !== 'string') return text.problem;
  const value = parse(text);
  return isJsonObject(value) ? value : `its ${type} data holds no JSON object`;
}

function inflateOnce(type: 'gzip' | 'zstd', data: string): Inflated {
  const key = `${type} ${hash('sha256', data, 'base64url')}`;
  const known = inflatedBefore.get(key);
  if (known !== undefined) return known;
  const text = inflate(type, Buffer.from(data, 'base64'));
  const inflated = typeof text === 'string' && isNestedDeeper(text) ? { problem: tooDeep } : text;
  inflatedBefore.set(key, inflated);
  return inflated;
}

function inflate(type: 'gzip' | 'zstd', bytes: Buffer): Inflated {
  // Piece by piece in the usual size, a large one takes twice as long.
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
          problem: `its ${type} data is larger than ${INFLATED_BYTES_MAX / 1024 / 1024} MB when it is decompressed`,
        }
      : { problem: `its ${type} data is broken` };
  }
}

function parse(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
