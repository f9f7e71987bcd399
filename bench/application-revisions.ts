import { gzipSync, zstdCompressSync } from 'node:zlib';
import { atMost, count, type Metric, milliseconds, plain } from '@/bench/support/figure';
import { median } from '@/bench/support/statistics';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { applicationRevisions } from '@/lib/workloads/kinds/application';
import { BodyStore } from '@/server/cluster/body-store';
import { ingestSource, SemanticIds } from '@/server/cluster/ingest';

const BYTES = 1024 * 1024;
const ROUNDS = 30;
const REVISIONS = 10_000;

const pack = { gzip: gzipSync, zstd: zstdCompressSync };

/** Reading compressed ApplicationRevisions: one of the maximum size, and very many small ones. */
export function measureApplicationRevisions(): Promise<Metric[]> {
  return Promise.resolve([
    ...(['zstd', 'gzip'] as const).map((type) =>
      atMost(`Decoding 1 MB of ${type} that is compressed`, timeOfLarge(type), 50, milliseconds),
    ),
    ...ofMany(),
  ]);
}

/** Median milliseconds of processor time of one read, warm. Random letters compress to two thirds of their size. */
function timeOfLarge(type: keyof typeof pack): number {
  const packed = pack[type](JSON.stringify(specOf(noise(Math.round(BYTES * 1.6)))));
  if (packed.length < BYTES) throw new Error(`Only ${packed.length} bytes of ${type}.`);
  const data = packed.toString('base64');
  const { bodies, semantic } = storeOf();
  const { bodyId } = ingestSource(applicationRevisions, revision(0, { type, data }), { bodies, semantic });
  const durations: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = process.cpuUsage();
    if (bodies.read(bodyId) === undefined) throw new Error(`The ${type} revision was not decoded.`);
    const { user, system } = process.cpuUsage(start);
    durations.push((user + system) / 1_000);
  }
  return median(durations.slice(ROUNDS / 3));
}

/** What a list of them costs without reading their content. */
function ofMany(): Metric[] {
  const objects = Array.from({ length: REVISIONS }, (_, index) => {
    const data = zstdCompressSync(JSON.stringify(specOf(`template ${index} `.repeat(2_000)))).toString(
      'base64',
    );
    return revision(index, { type: 'zstd', data });
  });
  const { bodies, semantic } = storeOf();
  const start = performance.now();
  for (const object of objects) ingestSource(applicationRevisions, object, { bodies, semantic });
  const took = performance.now() - start;
  return [
    atMost(`Ingesting ${count(REVISIONS)} revisions of 30 KB each`, took, 1_000, milliseconds),
    plain('… stored per revision, compressed', `${Math.round(bodies.bytes / REVISIONS)} bytes`),
  ];
}

function storeOf() {
  const bodies = new BodyStore();
  return { bodies, semantic: new SemanticIds(bodies) };
}

function specOf(template: string): JsonObject {
  return {
    application: {
      spec: { components: [{ name: 'web', type: 'webservice', properties: { image: 'web:1' } }] },
    },
    componentDefinitions: { webservice: { spec: { schematic: { cue: { template } } } } },
  };
}

function revision(number: number, compression: JsonObject): KubeObject {
  return {
    apiVersion: 'core.oam.dev/v1beta1',
    kind: 'ApplicationRevision',
    metadata: {
      ...{ name: `shop-v${number}`, namespace: 'shop', uid: String(number), resourceVersion: '1' },
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: { compression },
  };
}

/** Text without repetitions; the same in every run. https://github.com/cprosche/mulberry32 */
function noise(chars: number): string {
  const parts: string[] = [];
  let state = 1;
  for (let length = 0; length < chars; length += 6) {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    parts.push(((mixed ^ (mixed >>> 14)) >>> 0).toString(36).padStart(6, '0').slice(-6));
  }
  return parts.join('');
}
