import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Json, type JsonObject } from '@/lib/kube/json';
import { applyJsonPatch } from '@/sandbox/api/json-patch';

const document = { a: { list: [1, 2, 3], text: 'a && b < c' }, n: 1 };

function apply(...operations: JsonObject[]): JsonObject {
  return applyJsonPatch(document, JSON.stringify(operations));
}

it('adds, removes, replaces, moves and copies, in lists by index', () => {
  expect(
    apply({ op: 'add', path: '/a/list/-', value: 4 }, { op: 'add', path: '/a/list/0', value: 0 }),
  ).toMatchObject({
    a: { list: [0, 1, 2, 3, 4] },
  });
  expect(apply({ op: 'remove', path: '/a/list/1' }, { op: 'replace', path: '/n', value: 2 })).toMatchObject({
    a: { list: [1, 3] },
    n: 2,
  });
  expect(
    apply({ op: 'copy', from: '/n', path: '/a/x~1y' }, { op: 'move', from: '/a/list', path: '/moved' }),
  ).toEqual({ a: { text: document.a.text, 'x/y': 1 }, n: 1, moved: [1, 2, 3] });
});

it('does not change the document', () => {
  const before = JSON.stringify(document);
  apply({ op: 'remove', path: '/a/list' }, { op: 'add', path: '/a/new', value: {} });

  expect(JSON.stringify(document)).toBe(before);
});

it.each([
  [{ op: 'remove', path: '/nope' }],
  [{ op: 'add', path: '/a/list/9', value: 1 }],
  [{ op: 'replace', path: '/nope/deeper', value: 1 }],
  [{ op: 'add', path: '/a/text/x', value: 1 }],
  [{ op: 'test', path: '/n', value: 2 }],
  [{ op: 'test', path: '/nope/deeper', value: null }],
  [{ op: 'frobnicate', path: '/n' }],
  [{ op: 'add', path: 'n', value: 1 }],
])('answers 422 to %j', (operation) => {
  expect(() => apply(operation)).toThrow('the server rejected our request due to an error in our request');
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
