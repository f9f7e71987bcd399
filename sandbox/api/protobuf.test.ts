import { expect, it } from 'vitest';
import { decodeProtobuf } from '@/sandbox/api/protobuf';

/** What kubectl 1.36 sends for `kubectl create namespace shop`. */
const NAMESPACE = Buffer.from(
  '6b3873000a0f0a02763112094e616d657370616365121c0a140a0473686f7012001a0022002a00320038004200' +
    '12001a020a001a002200',
  'hex',
);

function message(kind: string, ...raw: number[]): Buffer {
  const type = Buffer.from(kind);
  const typeMeta = [0x0a, type.length + 2, 0x12, type.length, ...type];

  return Buffer.from([...Buffer.from('k8s\0'), ...typeMeta, 0x12, raw.length, ...raw]);
}

it('reads what kubectl sends, and leaves out empty fields', () => {
  expect(decodeProtobuf(NAMESPACE)).toMatchObject({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'shop' },
  });
});

it('rejects fields and kinds that it does not know rather than lose them', () => {
  expect(() => decodeProtobuf(message('Namespace', 0x7a, 1, 0x61))).toThrow('field 15 of Namespace');
  expect(() => decodeProtobuf(message('Ingress', 0x0a, 0))).toThrow('a Ingress is not taken');
  expect(() => decodeProtobuf(Buffer.from('{}'))).toThrow('not in the protobuf form');
  expect(() => decodeProtobuf(message('Namespace', 0x0a, 9, 1))).toThrow('ends in the middle');
});
