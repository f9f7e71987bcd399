import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Json, type JsonObject } from '@/lib/kube/json';
import { applyJsonPatch } from '@/sandbox/api/json-patch';

const document = { a: { list: [1, 2, 3], text: 'a && b < c' }, n: 1 };

function apply(...operations: JsonObject[]): JsonObject {
  return applyJsonPatch(document, JSON.stringify(operations));
}

it('does not change the document', () => {
  const before = JSON.stringify(document);
  apply({ op: 'remove', path: '/a/list' }, { op: 'add', path: '/a/new', value: {} });

  expect(JSON.stringify(document)).toBe(before);
});

it('compares as the API server writes: escaped as Go does, and numbers by their text', () => {
  const test = (text: string) => applyJsonPatch(document, `[{"op":"test","path":${text}}]`);

  expect(test('"/a/text","value":"a \\u0026\\u0026 b \\u003c c"')).toEqual(document);
  expect(() => test('"/a/text","value":"a && b < c"')).toThrow();
  expect(() => test('"/n","value":1.0')).toThrow();
  expect(test('"/missing","value":null')).toEqual(document);
});

it('finds every value that it has just added', () => {
  const scalars = fc.oneof(
    fc.integer(),
    fc.boolean(),
    fc.string({ unit: 'grapheme-ascii' }),
    fc.constant(null),
  );
  const plain = scalars.map((value) => (typeof value === 'string' ? value.replace(/[<>&\\"]/g, '') : value));

  fc.assert(
    fc.property(fc.array(plain, { maxLength: 4 }), (value: Json) => {
      const operations = [
        { op: 'add', path: '/a/new', value },
        { op: 'test', path: '/a/new', value },
        { op: 'remove', path: '/a/new' },
      ];
      expect(apply(...operations)).toEqual(document);
    }),
  );
});
