import { syncBuiltinESMExports } from 'node:module';
import zlib, { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test, vi } from 'vitest';
import { packedBody } from '@/lib/kube/packed-body';
import { unpack, unpackSpec } from '@/server/cluster/unpack';

/** Counts the inflations until the test ends. */
function watchInflating() {
  const inflating = vi.spyOn(zlib, 'gunzipSync');
  syncBuiltinESMExports();
  onTestFinished(() => {
    inflating.mockRestore();
    syncBuiltinESMExports();
  });
  return inflating;
}

const dataOf = (name: string) =>
  gzipSync(JSON.stringify({ application: { spec: { name } } })).toString('base64');

test('inflates data once, whichever object holds it and however often it is read', () => {
  const inflating = watchInflating();
  const first = unpack(packedBody('gzip', dataOf('once a')));
  expect(first.problem).toBeNull();
  expect(unpack(packedBody('gzip', dataOf('once a')))).toEqual(first);
  unpackSpec({ compression: { type: 'gzip', data: dataOf('once a') } });
  expect(inflating).toHaveBeenCalledTimes(1);
  unpack(packedBody('gzip', dataOf('once b')));
  expect(inflating).toHaveBeenCalledTimes(2);
});

test('each reader gets a copy of its own', () => {
  const [first, second] = [0, 1].map(() => unpack(packedBody('gzip', dataOf('once a'))).template);
  Object.assign(first ?? {}, { name: 'changed' });
  expect(second).not.toHaveProperty('name');
});

test('tries malicious data once', () => {
  const inflating = watchInflating();
  const bomb = packedBody('gzip', gzipSync(Buffer.alloc(34 * 1024 * 1024, 0x09)).toString('base64'));
  for (let count = 0; count < 3; count += 1)
    expect(unpack(bomb).problem).toContain('larger than 32 MB after decompression');
  expect(inflating).toHaveBeenCalledTimes(1);
});
