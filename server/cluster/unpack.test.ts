import { constants, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, type JsonObject } from '@/lib/kube/json';
import { packedBody } from '@/lib/kube/packed-body';
import { readRecordedBody } from '@/lib/workloads/application/body';
import { applicationSpec } from '@/lib/workloads/testing/application';
import { BodyStore } from '@/server/cluster/body-store';
import { unpack, unpackSpec } from '@/server/cluster/unpack';

const spec: JsonObject = {
  application: { metadata: { name: 'shop' }, spec: applicationSpec('7') },
  componentDefinitions: {
    webservice: { metadata: { resourceVersion: '5' }, spec: { workload: { type: 'deployments.apps' } } },
  },
  referredObjects: [{ kind: 'Secret', metadata: { name: 'db' }, data: { password: 'c2VjcmV0' } }],
};

const compress = {
  gzip: (text: string | Buffer) => gzipSync(text),
  zstd: (text: string | Buffer) => zstdCompressSync(text),
};

function packed(type: 'gzip' | 'zstd', text: string | Buffer): JsonObject {
  return packedBody(type, compress[type](text).toString('base64'));
}

describe.each(['gzip', 'zstd'] as const)('a revision that is compressed with %s', (type) => {
  it('equals one that is not', () => {
    const plain = readRecordedBody(spec);
    expect(unpack(packed(type, JSON.stringify(spec)))).toEqual({ template: plain, problem: null });
    expect(plain).toMatchObject({ definitions: { component: { webservice: { spec: { workload: {} } } } } });
    expect(JSON.stringify(plain)).not.toContain('c2VjcmV0');
  });

  it('is rejected where it inflates beyond the limit, however small it is', () => {
    const bomb = packed(type, Buffer.alloc(33 * 1024 * 1024, 0x20));
    expect(JSON.stringify(bomb).length).toBeLessThan(100_000);
    expect(unpack(bomb).problem).toMatch(/larger than 32 MB after decompression/);
  });

  it.each([
    ['cut off', (text: string) => compress[type](text).subarray(0, 40).toString('base64'), /is damaged/],
    ['no archive at all', () => Buffer.from('hello').toString('base64'), /is damaged/],
    ['empty', () => '', /has no data/],
    ['no JSON', () => compress[type]('{').toString('base64'), /is not a JSON object/],
    ['a list', () => compress[type]('[]').toString('base64'), /is not a JSON object/],
    ['without an Application', () => compress[type]('{}').toString('base64'), /contains no Application/],
    [
      'nested without end',
      () => compress[type](`{"a":${'['.repeat(100_000)}`).toString('base64'),
      /nested deeper than 200/,
    ],
  ])('reports that it cannot be decoded when its data is %s', (_what, dataOf, why) => {
    const { template, problem } = unpack(packedBody(type, dataOf(JSON.stringify(spec))));
    expect(template).toBeNull();
    expect(problem).toMatch(why);
  });
});

it('allocates no more memory than the limit, whatever a frame declares', () => {
  const wide = zstdCompressSync(Buffer.alloc(1024), {
    params: { [constants.ZSTD_c_windowLog]: 27, [constants.ZSTD_c_contentSizeFlag]: 0 },
  });
  const streamed = Buffer.from(wide);
  const { problem } = unpack(packedBody('zstd', streamed.toString('base64')));
  expect(problem).toMatch(/cannot be decoded/);
});

it('names an unknown compression', () => {
  expect(unpack(packedBody('lz4', 'AAAA')).problem).toMatch(/“lz4”, which Shiplog does not know/);
});

it('stores the compressed text, and inflates it on each read', () => {
  const bodies = new BodyStore();
  const body = packed('zstd', JSON.stringify(spec));
  bodies.acquire('a', () => canonicalJson(body));
  bodies.acquire('broken', () => canonicalJson(packedBody('zstd', 'AAAA')));
  expect(bodies.bytes).toBeLessThan(canonicalJson(body).length + 100);
  expect(bodies.read('a')).toEqual(readRecordedBody(spec));
  expect([bodies.problemOf('a'), bodies.problemOf('nobody has it')]).toEqual([null, null]);
  expect(bodies.read('broken')).toBeUndefined();
  expect(bodies.problemOf('broken')).toMatch(/zstd data is damaged/);
});

it('shows a complete spec, or why it cannot', () => {
  const data = zstdCompressSync(JSON.stringify(spec)).toString('base64');
  expect(unpackSpec({ compression: { type: 'zstd', data } })).toEqual(spec);
  expect(unpackSpec(spec)).toBe(spec);
  expect(unpackSpec({ compression: { type: 'zstd', data: 'AAAA' } })).toEqual({
    compression: { type: 'zstd', problem: 'It cannot be decoded: its zstd data is damaged.' },
  });
});

it('never throws, whatever the data is', () => {
  fc.assert(
    fc.property(fc.constantFrom('gzip', 'zstd', '', 'x'), fc.uint8Array(), fc.json(), (type, bytes, text) => {
      for (const data of [Buffer.from(bytes), zstdCompressSync(text), gzipSync(text)]) {
        const { template, problem } = unpack(packedBody(type, data.toString('base64')));
        expect(template === null).toBe(problem !== null);
      }
    }),
  );
});
